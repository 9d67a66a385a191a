import { execute, query } from '@/lib/db/pool';
import { sql } from '@/lib/db/sql';
import { engines } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { removeTopology } from '@/lib/network/topology';
import { settings } from '@/lib/settings';
import { readSpec } from './spec';

/** How long a guest may take to answer its power button, when everybody waits for it. */
const GUEST_SECONDS = 20;

/**
 * Powers down all guests of this host and takes its networking away, because the platform stops. What they should be
 * doing stays as it is, so that they boot with the next start.
 */
export async function powerDown(): Promise<void> {
  const machines = await engines().compute.observeInstances();
  const known = await query<{ id: string }>(sql`
    SELECT id FROM instances WHERE host_id = ${settings().hostId}::text AND id = ANY (${machines.map(({ id }) => id)}::uuid[])`);
  if (known.length === 0) return;
  await Promise.all(
    known.map(({ id }) => powerDownOne(id).catch((error) => log.warn({ err: error, instance: id }, 'a guest goes on'))),
  );
  await removeTopology();
}

async function powerDownOne(id: string): Promise<void> {
  const spec = await readSpec(id);
  if (!spec) return;
  await engines().compute.ensureInstance({ ...spec, power: 'stopped', shutdownSeconds: GUEST_SECONDS });
  await execute(sql`
    UPDATE instances SET status = 'stopped', status_reason = 'The platform was stopped; it starts with it again.',
      updated_at = platform_now() WHERE id = ${id}::uuid AND status IN ('active', 'paused', 'rebooting')`);
}
