import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { waitFor } from '@/lib/engines/local/turns';
import { settings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { ownHost } from '@/lib/testing/domains/gateway';
import { gatewayTrouble, startGatewayWorld, takeFreeGatewayPorts } from '@/lib/testing/gateway-world';
import { startLoad } from '@/lib/testing/keep-alive-load';
import { setLimits } from '@/lib/testing/widgets';
import type { TestProject } from '@/lib/testing/world';

const TENANTS = 50;
const ROUTES = 1000;
const TIMES = 20;
const CALLERS = 8;

testDatabase();
const trouble = await gatewayTrouble();
if (trouble) console.log(`SKIPPED: ${trouble}`);

describe.skipIf(trouble)(`the gateway with ${ROUTES} routes of ${TENANTS} tenants`, () => {
  let world: Awaited<ReturnType<typeof startGatewayWorld>>;
  const tenants: { project: TestProject; host: string }[] = [];
  beforeAll(async () => {
    process.env.ALLOW_PRIVATE_URLS = '127.0.0.1';
    await takeFreeGatewayPorts();
    world = await startGatewayWorld();
    for (let tenant = 0; tenant < TENANTS; tenant += 1) {
      const project = await world.project(`tenant-${tenant}`);
      tenants.push({ project, host: await ownHost(project) });
    }
  }, 120_000);
  afterAll(() => world?.stop(), 60_000);

  /** Routes of all tenants, written as they would be after 1,000 requests. */
  async function addRoutes(url: string): Promise<void> {
    const backends = [{ name: 'web', weight: 100, url, instance_id: null, load_balancer_id: null, port: null }];
    for (const { project, host } of tenants) {
      const rows = Array.from({ length: ROUTES / TENANTS }, (_, index) => ({
        id: newId(),
        prefix: index === 0 ? '/' : `/p${index}/`,
      }));
      await execute(sql`INSERT INTO devices (project_id, id, kind) SELECT ${project.id}::uuid, r.id, 'gateway_route'
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (id uuid)`);
      await execute(sql`INSERT INTO gateway_routes (id, project_id, name, host, path_prefix, cell_id, status, strip_prefix, sticky, backends, created_at, updated_at)
        SELECT r.id, ${project.id}::uuid, 'route ' || r.prefix, ${host}::text, r.prefix, ${world.cell}::text, 'degraded', false, false,
          ${JSON.stringify(backends)}::jsonb, platform_now(), platform_now()
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (id uuid, prefix text)`);
    }
    await world.ingress.settled();
  }

  /** An open WebSocket of another tenant that says back what it hears. */
  async function openSocket(host: string): Promise<Socket> {
    const sent = request({
      host: '127.0.0.1',
      port: settings().gatewayHttpPort,
      headers: {
        host,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
      },
    });
    sent.end();
    return new Promise((resolve, reject) => {
      sent.on('upgrade', (_, socket: Socket) => resolve(socket));
      sent.on('response', ({ statusCode }) => reject(new Error(`no WebSocket: ${statusCode}`)));
    });
  }

  async function echoes(socket: Socket): Promise<boolean> {
    if (socket.destroyed) return false;
    socket.write('still there?');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString() === 'still there?';
  }

  test('changes take effect in half a second, and cost the traffic of others nothing', {
    timeout: 400_000,
  }, async () => {
    const server = createServer((_, response) => response.end('others')).on('upgrade', ({ headers }, socket) => {
      const key = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${key.digest('base64')}\r\n\r\n`,
      );
      socket.pipe(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await addRoutes(url);
    const [own, ...others] = tenants;
    if (!own) throw new Error('no tenant');
    await setLimits(own.project.id, { api_gateways: 2 * TIMES });
    const hosts = others.map(({ host }) => host);
    const isServed = async (host: string) => (await world.get(host)).text === 'others';
    expect(await waitFor(() => isServed(hosts.at(-1) ?? ''), { timeoutMs: 20_000, everyMs: 50 })).toBe(true);
    const sockets = await Promise.all(hosts.slice(0, 5).map(openSocket));
    const processes = await world.processes();

    const [first, second] = [await world.named('first'), await world.named('second')];
    const path = '/changes';
    const answer = async (at = path) =>
      (await world.get(own.host, at, { headers: { connection: 'close' } })).text.split(' ')[0];
    const apply = (backends: object[], name = 'changes', at = path) =>
      world.apply(own.project, { name, host: own.host, path_prefix: at, backends });
    const web = (at: string, weight: number, name: string) => ({ name, url: at, weight });
    /** Both backends with their weights. */
    const share = (one: number) => [web(first, one, 'one'), web(second, 100 - one, 'two')];
    const remove = async (name: string) =>
      world.call('DELETE', `/gateway/routes/${await world.idOf(own.project, name)}`, world.token(own.project));
    /** Makes a change again and again. @returns from each request until its effect, in milliseconds */
    async function timed(change: (round: number) => Promise<unknown>, isThere: (round: number) => Promise<boolean>) {
      const times: number[] = [];
      for (let round = 0; round < TIMES; round += 1) {
        const begun = performance.now();
        await change(round);
        const found = await waitFor(() => isThere(round), { timeoutMs: 10_000, everyMs: 5 });
        expect(found).toBe(true);
        times.push(performance.now() - begun);
      }
      return times.toSorted((a, b) => a - b);
    }

    const load = startLoad(
      settings().gatewayHttpPort,
      Array.from({ length: CALLERS }, (_, index) => hosts[index * 5] ?? ''),
      5,
    );
    const times = {
      'a new route': await timed(
        (round) => apply([web(first, 100, 'one')], `new-${round}`, `/new-${round}`),
        async (round) => (await answer(`/new-${round}`)) === 'first',
      ),
      'a deleted route': await timed(
        (round) => remove(`new-${round}`),
        async (round) => (await answer(`/new-${round}`)) === 'others',
      ),
      'a changed weight': await timed(
        (round) => apply(share(round % 2 === 0 ? 100 : 0)),
        async (round) => (await answer()) === (round % 2 === 0 ? 'first' : 'second'),
      ),
      'a changed backend': await timed(
        (round) => apply([web(round % 2 === 0 ? first : second, 100, 'one')]),
        async (round) => (await answer()) === (round % 2 === 0 ? 'first' : 'second'),
      ),
    };
    const seen = await load.stop();
    for (const [what, sorted] of Object.entries(times)) {
      const [median = 0, worst = 0] = [sorted[TIMES / 2], sorted.at(-1)];
      console.log(`${what}: median ${Math.round(median)} ms, worst ${Math.round(worst)} ms of ${TIMES}`);
    }
    console.log(`others meanwhile: ${seen.answered} answers, longest ${Math.round(seen.longest_ms)} ms`);
    expect(seen.failures).toEqual([]);
    expect(seen.answered).toBeGreaterThan(1_000);
    // No reload: connections of others stay, and no process is left behind.
    expect(seen.connections).toBe(CALLERS);
    expect(await Promise.all(sockets.map(echoes))).toEqual(sockets.map(() => true));
    expect(await world.processes()).toEqual(processes);
    for (const [what, sorted] of Object.entries(times)) expect(sorted[TIMES / 2], what).toBeLessThanOrEqual(500);
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
});
