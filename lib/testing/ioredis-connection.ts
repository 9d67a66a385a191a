import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisOptions } from 'ioredis';
import type { DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import type { startDatabaseWorld } from './database-world';
import type { IoredisJob } from './ioredis-client';
import { speakTo } from './line-client';

type World = Pick<Awaited<ReturnType<typeof startDatabaseWorld>>, 'inTenantNetwork'>;

/** The ioredis client in the network of the tenant's machine, with the options that the portal shows, and `change`. */
export async function connectIoredis(
  world: World,
  { endpoint, credentials }: Pick<DatabaseClusterWithCredentials, 'endpoint' | 'credentials'>,
  change: RedisOptions = {},
) {
  if (!endpoint) throw new Error('the cluster has no endpoint');
  const { argv, env } = await world.inTenantNetwork('lib/testing/ioredis-client.ts', {
    host: endpoint.host,
    port: endpoint.port,
    username: credentials.username,
    password: credentials.password,
    tls: { ca: endpoint.ca_certificate },
    ...change,
  });
  const { ask, end } = speakTo(argv, env, mkdtempSync(join(tmpdir(), 'nephele-test-ioredis-')));
  const tell = <T>(job: IoredisJob) => ask<T>(job);
  return {
    run: (...commands: [string, ...(string | number)[]][]) => tell<unknown[]>({ kind: 'run', commands }),
    transaction: (key: string) => tell<unknown>({ kind: 'transaction', key }),
    startWriting: () => tell({ kind: 'start' }),
    stopWriting: () =>
      tell<{ acknowledged: number; lost: number; errors: string[]; connections: number }>({ kind: 'stop' }),
    end,
  };
}
