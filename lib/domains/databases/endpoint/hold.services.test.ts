import { chmodSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { replaceEngines } from '@/lib/engines/engines';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { waitFor } from '@/lib/engines/local/turns';
import { ownCell } from '@/lib/settings';
import { options } from '@/lib/testing/balancer-world';
import { databaseTrouble } from '@/lib/testing/database-world';
import { endpointProcess, HOLD_ACTION } from '../cluster/specs';
import { enginePorts } from '../ports';
import { HOLD_FILE, renderEndpoint } from './configuration';
import { hold, release } from './endpoint';

const trouble = await databaseTrouble([]);
if (trouble !== null && process.env.CI) throw new Error(trouble);

const CLIENTS = 60;
const ROUNDS = 12;

describe.skipIf(trouble !== null)(`an endpoint that holds${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  const engines = openLocalEngine(options);
  const { services } = engines;
  const endpoint = {
    cell: ownCell(),
    id: newId(),
    networkId: newId(),
    address: '10.0.0.9',
    port: enginePorts.postgres.serving,
    straight: false,
  };
  const socket = (name: string) => join(services.socketFolder(endpoint.id), name);
  let primary: Server;
  const busy: Worker[] = [];

  beforeAll(async () => {
    replaceEngines(engines);
    // Clients and primary come by files instead of a network.
    const configuration = renderEndpoint({ name: 'held', primary: '10.0.0.1', members: [] }, enginePorts.postgres)
      .replace('bind :5432', 'bind unix@/run/service/clients.sock mode 666')
      .replace('bind :5433', 'bind unix@/run/service/readers.sock mode 666')
      .replace('primary 10.0.0.1:5432', 'primary unix@/run/service/primary.sock');
    const spec = {
      ...endpointProcess,
      id: endpoint.id,
      files: [
        { path: 'haproxy.cfg', content: configuration, secret: false, live: true },
        { path: HOLD_FILE, content: HOLD_ACTION, secret: false, live: true },
      ],
      port: null,
    };
    if (!(await waitFor(async () => (await services.ensureService(spec)).settled, { timeoutMs: 60_000, everyMs: 50 })))
      throw new Error(`the endpoint did not start: ${JSON.stringify(await services.readLog(endpoint.id, null, 20))}`);
    primary = createServer((client) => client.on('error', () => {}).on('data', () => client.write('!')));
    await new Promise<void>((resolve) => primary.listen(socket('primary.sock'), resolve));
    chmodSync(socket('primary.sock'), 0o666);
    // As on a host that has something else to do, where a process rests for longer than it wants to.
    for (let worker = 0; worker < 3; worker += 1) busy.push(new Worker('for (;;);', { eval: true }));
  });

  afterAll(async () => {
    for (const worker of busy) await worker.terminate();
    primary?.close();
    await services.removeService(endpoint.id);
  });

  /** Connects and asks. @returns the answer, or what came instead of one */
  async function ask(released: Promise<void>): Promise<string> {
    await after(Math.random() * 200);
    const client: Socket = createConnection(socket('clients.sock'));
    const answer = new Promise<string>((resolve) => {
      client.on('data', (data) => resolve(String(data)));
      client.on('error', ({ message }) => resolve(message));
      client.on('end', () => resolve('ended'));
    });
    await after(Math.random() * 5);
    client.write('?');
    const early = await Promise.race([released, answer]);
    const said =
      early === undefined ? await Promise.race([answer, after(10_000, 'nothing', { ref: false })]) : `early ${early}`;
    client.destroy();
    return said;
  }

  test('lets everyone go on who has waited, on a busy host too', async () => {
    const answers: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      await hold(endpoint);
      let letGo = () => {};
      const released = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const clients = Array.from({ length: CLIENTS }, () => ask(released));
      await after(250);
      await release(endpoint);
      letGo();
      for (const said of await Promise.all(clients)) answers[said] = (answers[said] ?? 0) + 1;
    }
    expect(answers).toEqual({ '!': CLIENTS * ROUNDS });
  });
});
