import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/* Connections in a tenant's network that say nothing, or nothing that makes sense; a line in opens them, a line out says how many. */
const { host, port } = z.object({ host: z.string(), port: z.int() }).parse(JSON.parse(process.env.CLIENT ?? '{}'));
const COUNT = 20;

for await (const _ of createInterface({ input: process.stdin })) {
  await Promise.all(
    Array.from(
      { length: COUNT },
      (_, index) =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(port, host, () => {
            if (index % 2 === 0) socket.write('GET / HTTP/1.1\r\n\r\n');
            resolve();
          });
          socket.on('error', (error) => (socket.connecting ? reject(error) : undefined));
        }),
    ),
  );
  process.stdout.write(`${COUNT}\n`);
}
process.exit(0);
