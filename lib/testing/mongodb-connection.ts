import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import type { startDatabaseWorld } from './database-world';
import { speakTo } from './line-client';

type World = Pick<Awaited<ReturnType<typeof startDatabaseWorld>>, 'inTenantNetwork'>;

/** MongoDB's own driver in the network of the tenant's machine, with the URI that the API answered. Without `trust` it knows the host's CAs alone. */
export async function connectMongodb(
  world: World,
  { endpoint, credentials }: DatabaseClusterWithCredentials,
  { password = credentials.password, trust = true }: { password?: string | undefined; trust?: boolean } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'neph-mongodb-ca-'));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, endpoint?.ca_certificate ?? '');
  const { argv, env } = await world.inTenantNetwork('lib/testing/mongodb-client.ts', {
    uri: endpoint?.uri,
    username: credentials.username,
    password,
    ...(trust && { caFile }),
  });
  return speakTo(argv, env, folder);
}
