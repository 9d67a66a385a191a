import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { DatabaseClusterWithCredentials } from '@/lib/domains/databases/schema';
import type { Written as Recorded, startDatabaseWorld } from './database-world';

type World = Pick<Awaited<ReturnType<typeof startDatabaseWorld>>, 'inTenantNetwork'>;
type Written = { acknowledged: number; lost: number; gap_ms: number; errors: number };

/** A client in the network of the tenant's machine: each line it gets is a list of commands, or a number of ms to write for. */
export async function connectValkey(
  world: World,
  { endpoint, credentials }: Pick<DatabaseClusterWithCredentials, 'endpoint' | 'credentials'>,
) {
  const { argv, env } = await world.inTenantNetwork('lib/testing/valkey-client.ts', { endpoint, credentials });
  const child = spawn(argv[0] ?? '', argv.slice(1), { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async <T>(job: unknown): Promise<T> => {
    child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('the client has ended');
    return JSON.parse(value);
  };
  return {
    run: (...commands: (string | number)[][]) => ask<unknown[]>({ kind: 'run', commands }),
    write: (ms: number) => ask<Written>({ kind: 'write', ms }),
    startWriting: (writers = 2) => ask({ kind: 'start', writers }),
    stopWriting: () => ask<Recorded>({ kind: 'stop' }),
    /** Those of these keys that the cluster does not have. */
    lost: (keys: readonly string[]) => ask<string[]>({ kind: 'lost', keys }),
    end: () => void child.stdin.end(),
  };
}
