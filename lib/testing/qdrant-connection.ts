import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { startDatabaseWorld } from './database-world';

type World = Pick<Awaited<ReturnType<typeof startDatabaseWorld>>, 'inTenantNetwork'>;

/** Where a client finds a cluster: without a CA it trusts the host's alone. */
export type QdrantAddress = { uri: string | undefined; key: string | undefined; ca: string | undefined };

/** Qdrant's own client in the network of the tenant's machine. */
export async function connectQdrant(world: World, { uri, key, ca }: QdrantAddress) {
  const folder = mkdtempSync(join(tmpdir(), 'neph-qdrant-ca-'));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, ca ?? '');
  const { argv, env } = await world.inTenantNetwork('lib/testing/qdrant-client.ts', { uri, key });
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    env: { ...env, ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: file }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask<T>(job: object): Promise<T> {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the client has ended');
      return JSON.parse(value);
    },
    end: () => void child.stdin.end(),
  };
}
