import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { startDatabaseWorld } from './database-world';
import { speakTo } from './line-client';

type World = Pick<Awaited<ReturnType<typeof startDatabaseWorld>>, 'inTenantNetwork'>;

/** Where a client finds a cluster: without a CA it trusts the host's alone. */
export type QdrantAddress = { uri: string | undefined; key: string | undefined; ca: string | undefined };

/** Qdrant's own client in the network of the tenant's machine. */
export async function connectQdrant(world: World, { uri, key, ca }: QdrantAddress) {
  const folder = mkdtempSync(join(tmpdir(), 'neph-qdrant-ca-'));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, ca ?? '');
  const { argv, env } = await world.inTenantNetwork('lib/testing/qdrant-client.ts', { uri, key });
  return speakTo(argv, { ...env, ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: file }) }, folder);
}
