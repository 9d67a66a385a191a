import { createServer, connect as open, type Socket } from 'node:net';
import { join } from 'node:path';
import type { HeldEndpoint } from '@/lib/domains/databases/jobs/engine';
import type { MajorServer } from './postgres-majors';

type Pair = { client: Socket; server: Socket; quiet: boolean; end(): void };

/** An endpoint of a test in front of two servers: it holds new connections and ends open ones when nothing is under way. */
export async function startHeldEndpoint(former: MajorServer, next: MajorServer) {
  let target = former;
  let held = false;
  let waiting: Socket[] = [];
  const pairs = new Set<Pair>();

  const join_ = (client: Socket) => {
    const server = open(join(target.directory, '.s.PGSQL.5432'));
    const end = () => {
      pairs.delete(pair);
      client.end();
      server.destroy();
    };
    const pair: Pair = { client, server, quiet: false, end };
    pairs.add(pair);
    client.on('data', (chunk) => {
      pair.quiet = false;
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      // ReadyForQuery outside of a transaction is the last of an answer.
      pair.quiet = chunk.length >= 6 && chunk.subarray(-6).equals(IDLE);
      client.write(chunk, () => {
        if (held && pair.quiet) end();
      });
    });
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
  };
  const listener = createServer((client) => {
    client.on('error', () => {});
    if (held) waiting.push(client);
    else join_(client);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const endpoint: HeldEndpoint = {
    async hold() {
      held = true;
      for (const pair of [...pairs]) if (pair.quiet) pair.end();
      const end = performance.now() + 500;
      while (pairs.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 2));
      for (const pair of [...pairs]) pair.end();
    },
    async repoint(to) {
      target = to === 'former' ? former : next;
    },
    async release() {
      held = false;
      const all = waiting;
      waiting = [];
      for (const client of all) join_(client);
    },
  };
  return {
    ...endpoint,
    port: typeof address === 'object' && address ? address.port : 0,
    serves: () => (held ? 'nobody' : target.major),
    close() {
      listener.close();
      for (const pair of [...pairs]) pair.end();
    },
  };
}

const IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
