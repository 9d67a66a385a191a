import { log } from '@/lib/log';
import type { Cluster } from '../cluster/clusters';
import { ask } from './connections';
import { certificateOf } from './specs';
import type { Seen } from './state';

const LOOK_MS = 5_000;
/** A new certificate comes into the members' files within this time. */
const ARRIVES_MS = 60_000;

/** What the agent remembers of a cluster's certificate between looks. */
export type CertificateMemory = { certificate: string | null; lookedAt: number; changedAt: number };
export const newCertificateMemory = (): CertificateMemory => ({
  certificate: null,
  lookedAt: Number.NEGATIVE_INFINITY,
  changedAt: 0,
});

/**
 * Has the servers read their certificate again after it has changed: it names a floating IP, or was renewed. Otherwise they read it only
 * when they start. Galera reloads it as well, for connections among members. Connections stay.
 */
export async function serveCertificate(
  cluster: Cluster,
  seen: readonly Seen[],
  memory: CertificateMemory,
): Promise<void> {
  const now = performance.now();
  if (now - memory.lookedAt < LOOK_MS) return;
  memory.lookedAt = now;
  const { certificate } = await certificateOf(cluster);
  if (certificate !== memory.certificate) Object.assign(memory, { certificate, changedAt: now });
  if (now - memory.changedAt > ARRIVES_MS) return;
  const up = seen.filter(({ state }) => state.isUp);
  await Promise.all(
    up.map(({ member }) =>
      ask(cluster, member, 'FLUSH LOCAL SSL').catch((error) =>
        log.warn({ err: error, cluster: cluster.id, member: member.ordinal }, 'a certificate could not be read again'),
      ),
    ),
  );
}
