import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import type { startDatabaseWorld, Written } from './database-world';
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

const COLLECTION = 'written';

/** The same with a collection that it writes points into. */
export async function connectQdrantWriter(
  world: World,
  { endpoint, credentials }: Pick<DatabaseClusterWithCredentials, 'endpoint' | 'credentials'>,
) {
  const address = { uri: endpoint?.uri, key: credentials.api_key, ca: endpoint?.ca_certificate };
  const client = await connectQdrant(world, address);
  await client.ask({ kind: 'create', collection: COLLECTION, size: 4 });
  return {
    ...client,
    startWriting: (writers = 2) => client.ask({ kind: 'start', collection: COLLECTION, writers }),
    stopWriting: () => client.ask<Written>({ kind: 'stop' }),
    /** Those of these points that the cluster does not have. */
    lost: (ids: readonly string[]) => client.ask<string[]>({ kind: 'lost', collection: COLLECTION, ids }),
    /** The version of the core that answers. */
    async version(): Promise<string> {
      const { text } = await client.ask<{ text: string }>({ kind: 'raw', method: 'GET', path: '/' });
      return /"commit": "core ([\d.]+)"/.exec(text)?.[1] ?? text;
    },
  };
}
