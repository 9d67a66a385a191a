import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { sealKey } from '@/lib/domains/certificates/sealed-key';
import { gateway } from '@/lib/domains/gateway/domain';
import { RouteSamples } from '@/lib/domains/gateway/traffic/samples';
import { LogCollector } from '@/lib/domains/observability/logs/collect';
import { endProcess } from '@/lib/engines/local/processes';
import { waitFor } from '@/lib/engines/local/turns';
import { settings } from '@/lib/settings';
import { certificateUpload } from '@/lib/testing/certificates';
import { testDatabase } from '@/lib/testing/database';
import { ownHost } from '@/lib/testing/domains/gateway';
import { gatewayTrouble, startGatewayWorld, takeFreeGatewayPorts } from '@/lib/testing/gateway-world';
import { idOf } from '@/lib/testing/machines';
import type { TestProject } from '@/lib/testing/world';

/** The shortest time of a step. */
const MIN_INTERVAL_S = 5;

/** Children of a process that was killed end by themselves. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}

/**
 * What the gateway promises, with real processes on a real network. Call it once in a test file, which has a process of its own.
 * @param user whom this process runs as, for the title
 */
export async function gatewayContract(user: string): Promise<void> {
  testDatabase();
  const trouble = await gatewayTrouble();
  if (trouble) console.log(`SKIPPED: ${trouble}`);
  describe.skipIf(trouble)(`the gateway, ${user}`, () => {
    let world: Awaited<ReturnType<typeof startGatewayWorld>>;
    let acme: TestProject;
    let other: TestProject;
    let name: string;
    beforeAll(async () => {
      process.env.ALLOW_PRIVATE_URLS = '127.0.0.1';
      await takeFreeGatewayPorts();
      world = await startGatewayWorld();
      [acme, other] = [await world.project('acme'), await world.project('other')];
      name = await ownHost(acme);
    });
    afterAll(() => world?.stop());

    const isActive = ({ status }: { status: string }) => status === 'active';
    const url = (at: string, weight = 100, backend = 'web') => ({ name: backend, url: at, weight });

    test('requests are divided exactly by weight, and a new weight holds for the next request without losing one', async () => {
      const [one, two] = [await world.named('one'), await world.named('two')];
      const route = await world.apply(acme, { backends: [url(one, 95, 'stable'), url(two, 5, 'canary')] });
      await world.until(route.id, acme, isActive);
      const answers = async (times: number) => {
        const counts: Record<string, number> = {};
        await Promise.all(
          Array.from({ length: 8 }, async () => {
            for (let index = 0; index < times / 8; index += 1) {
              const { status, text } = await world.get(name);
              const key = `${status} ${text}`;
              counts[key] = (counts[key] ?? 0) + 1;
            }
          }),
        );
        return counts;
      };
      expect(await answers(1000)).toEqual({ '200 one /': 950, '200 two /': 50 });
      // Under load: nothing but 200 meanwhile.
      const load = answers(2000);
      for (const weight of [50, 20, 80]) {
        await world.apply(acme, { backends: [url(one, 100 - weight, 'stable'), url(two, weight, 'canary')] });
      }
      expect(Object.keys(await load).every((key) => key.startsWith('200 '))).toBe(true);
      await world.until(route.id, acme, ({ backends, status }) => status === 'active' && backends[1]?.weight === 80);
      await world.ingress.settled();
      const { '200 two /': share = 0 } = await answers(1000);
      expect(Math.abs(share - 800)).toBeLessThanOrEqual(10);
    });

    test('a changed route is served, and the rest of the traffic loses nothing', async () => {
      const [one, two] = [await world.named('one'), await world.named('two')];
      const first = await world.apply(acme, { backends: [url(one)] });
      await world.until(first.id, acme, isActive);
      let isOver = false;
      const failures: string[] = [];
      const load = Promise.all(
        Array.from({ length: 4 }, async () => {
          while (!isOver)
            await world.get(name).then(
              ({ status }) => status === 200 || failures.push(String(status)),
              (error) => failures.push(String(error)),
            );
        }),
      );
      const times: number[] = [];
      for (let index = 0; index < 5; index += 1) {
        const begun = performance.now();
        const route = await world.apply(acme, {
          name: `extra-${index}`,
          path_prefix: `/extra-${index}`,
          backends: [url(two)],
        });
        while (!(await world.get(name, `/extra-${index}`)).text.startsWith('two'))
          await new Promise((resolve) => setTimeout(resolve, 5));
        times.push(performance.now() - begun);
        expect((await world.call('DELETE', `/gateway/routes/${route.id}`, world.token(acme))).status).toBe(204);
      }
      isOver = true;
      await load;
      expect(failures).toEqual([]);
      // How soon it must be is measured where nothing else runs (`many-routes.long.test.ts`).
      console.log(`served after ${times.map(Math.round).join(', ')} ms`);
    });

    test('metrics count the requests of a route alone, also in a backend that another route had before', async () => {
      const samples = new RouteSamples(world.cell);
      const at = await world.named('counted');
      const responses = async (id: string) => {
        const query = `nephele_gateway_route_backend_responses{resource_id="${id}",backend="web",code="2xx"}`;
        const path = `/observability/prometheus/api/v1/query?query=${encodeURIComponent(query)}`;
        const { body } = await world.call('GET', path, world.token(acme));
        return (body as { data: { result: { value: [number, string] }[] } }).data.result.map(({ value }) => value[1]);
      };
      for (const [part, times] of [
        ['before', 7],
        ['after', 3],
      ] as const) {
        const route = await world.apply(acme, { name: part, path_prefix: `/${part}`, backends: [url(at)] });
        await world.until(route.id, acme, isActive);
        await samples.take();
        for (let index = 0; index < times; index += 1) await world.get(name, `/${part}`);
        await samples.take();
        expect(await responses(route.id)).toEqual([String(times)]);
        expect((await world.call('DELETE', `/gateway/routes/${route.id}`, world.token(acme))).status).toBe(204);
        await world.ingress.settled();
      }
    });

    test('answers of the gateway itself, because no backend is up, are counted and logged', async () => {
      const samples = new RouteSamples(world.cell);
      const collector = new LogCollector(world.cell, gateway.logs);
      const backends = [url('http://127.0.0.1:1')];
      const route = await world.apply(acme, { name: 'down', path_prefix: '/down', backends });
      await world.until(route.id, acme, ({ status }) => status === 'error');
      for (let index = 0; index < 4; index += 1) expect((await world.get(name, '/down')).status).toBe(503);
      const ask = async (path: string, query: string) => {
        const { body } = await world.call('GET', `${path}?query=${encodeURIComponent(query)}`, world.token(acme));
        return (body as { data: { result: { value: [number, string]; values: unknown[] }[] } }).data.result;
      };
      const counted = async () => {
        await samples.take();
        const query = `sum(nephele_gateway_route_backend_responses{resource_id="${route.id}",code="5xx"})`;
        return (await ask('/observability/prometheus/api/v1/query', query)).map(({ value }) => value[1]);
      };
      const isCounted = async () => (await counted())[0] === '4';
      expect(await waitFor(isCounted, { timeoutMs: 10_000, everyMs: 100 })).toBe(true);
      await collector.look();
      const lines = await ask('/observability/logs', `{service="gateway", resource_id="${route.id}", level="error"}`);
      expect(lines.flatMap(({ values }) => values)).toHaveLength(4);
      await world.call('DELETE', `/gateway/routes/${route.id}`, world.token(acme));
    });

    test('routes come and go without a reload, and sticky sessions stay with their backend', async () => {
      const [one, two] = [await world.named('one'), await world.named('two')];
      const first = await world.apply(acme, { backends: [url(one)] });
      await world.until(first.id, acme, isActive);
      const processes = await world.processes();
      for (let round = 0; round < 3; round += 1) {
        const route = await world.apply(acme, { name: 'extra', path_prefix: '/extra', backends: [url(two)] });
        await world.until(route.id, acme, isActive);
        expect((await world.get(name, '/extra')).text).toBe('two /extra');
        await world.apply(acme, { name: 'extra', path_prefix: '/other', strip_prefix: true, backends: [url(one)] });
        await world.ingress.settled();
        await world.until(route.id, acme, isActive);
        expect((await world.get(name, '/other/a/b')).text).toBe('one /a/b');
        await world.call('DELETE', `/gateway/routes/${route.id}`, world.token(acme));
        await world.ingress.settled();
        expect((await world.get(name, '/other/a')).text).toBe('one /other/a');
      }
      expect(await world.processes()).toEqual(processes);

      const sticky = await world.apply(acme, {
        name: 'sticky',
        path_prefix: '/sticky',
        sticky: true,
        backends: [url(one, 50, 'one'), url(two, 50, 'two')],
      });
      await world.until(sticky.id, acme, isActive);
      const { headers, text } = await world.get(name, '/sticky');
      const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      for (let index = 0; index < 6; index += 1)
        expect((await world.get(name, '/sticky', { headers: { cookie } })).text).toBe(text);
      await world.call('DELETE', `/gateway/routes/${sticky.id}`, world.token(acme));
    });

    test('the longest prefix of whole segments wins, and a prefix can be stripped', async () => {
      const [one, two] = [await world.named('one'), await world.named('two')];
      await world.apply(acme, { backends: [url(one)] });
      const api = await world.apply(acme, {
        name: 'api',
        path_prefix: '/api',
        strip_prefix: true,
        backends: [url(two)],
      });
      await world.until(api.id, acme, isActive);
      const text = async (path: string) => (await world.get(name, path)).text;
      expect(await Promise.all(['/', '/apis', '/api', '/api/', '/api/v1?q=1', '/API'].map(text))).toEqual([
        'one /',
        'one /apis',
        'two /',
        'two /',
        'two /v1?q=1',
        'one /API',
      ]);
      expect((await world.get(name.toUpperCase())).text).toBe('one /');
      expect((await world.get('unknown.example.org')).status).toBe(404);
      await world.call('DELETE', `/gateway/routes/${api.id}`, world.token(acme));
      await waitFor(async () => (await text('/api')) === 'one /api', { timeoutMs: 10_000, everyMs: 20 });
      expect(await text('/api')).toBe('one /api');
    });

    test('backends learn who asks, and clients cannot pretend to be others', async () => {
      const at = await world.origin((request, response) => response.end(JSON.stringify(request.headers)));
      const route = await world.apply(acme, { backends: [url(at)] });
      await world.until(route.id, acme, isActive);
      const { text } = await world.get(name, '/', {
        headers: { 'X-Forwarded-For': '203.0.113.99', 'X-Forwarded-Proto': 'https' },
      });
      expect(JSON.parse(text)).toMatchObject({
        host: name,
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-request-id': expect.any(String),
      });
    });

    test('two projects with the same range each reach their own instance, as far as its security groups allow', async () => {
      const [mine, theirs] = [await world.machine(acme, 'mine'), await world.machine(other, 'theirs')];
      const backend = (instance_id: string) => ({ backends: [{ name: 'vm', instance_id, port: 8080, weight: 100 }] });
      const [one, two] = [await world.apply(acme, backend(mine)), await world.apply(other, backend(theirs))];
      // Nothing is open yet.
      const down = await world.until(one.id, acme, ({ backends }) => backends[0]?.status === 'down');
      expect([down.status, down.backends[0]?.status_reason]).toEqual(['error', 'It does not accept connections.']);
      await Promise.all([world.open(acme), world.open(other)]);
      await Promise.all([world.until(one.id, acme, isActive), world.until(two.id, other, isActive)]);
      const got = await world.get(name);
      expect(got.text).toBe('mine');
      expect((await world.get(await ownHost(other))).text).toBe('theirs');
      await world.open(acme, false);
      await world.until(one.id, acme, ({ status }) => status === 'error');
      await world.open(acme);
      await world.until(one.id, acme, isActive);
    });

    test('what leads into networks and the gateway itself come back after they were killed', async () => {
      const answer = () =>
        world.get(name).then(
          ({ text }) => text,
          () => '',
        );
      const answers = () => waitFor(async () => (await answer()) === 'mine', { timeoutMs: 60_000, everyMs: 50 });
      for (const entry of world.entries()) await endProcess(entry);
      expect(await waitFor(async () => world.entries().length === 2, { timeoutMs: 60_000, everyMs: 50 })).toBe(true);
      expect(await answers()).toBe(true);
      for (const pid of (await world.processes()).reverse()) if (pid > 1) kill(pid);
      expect(await answers()).toBe(true);
      const id = await world.idOf(acme, 'shop');
      await world.until(id, acme, isActive);
    });

    test('a canary that fails one request in ten is back at nothing within an interval', async () => {
      let count = 0;
      const [good, bad] = [
        await world.named('good'),
        await world.origin((_, response) => {
          count += 1;
          response.statusCode = count % 10 === 0 ? 500 : 200;
          response.end('bad');
        }),
      ];
      const route = await world.apply(acme, {
        backends: [url(good, 100, 'stable'), url(bad, 0, 'next')],
        rollout: { to: 'next', steps: [20, 50, 100], interval_s: 15, abort_above_errors_percent: 5 },
      });
      await world.until(route.id, acme, isActive);
      let isOver = false;
      const load = (async () => {
        // `until` closes connections.
        while (!isOver) await world.get(name).catch(() => undefined);
      })();
      const back = await world.until(route.id, acme, ({ rollout }) => rollout?.state === 'rolled_back', 15_000);
      expect(back.backends.map(({ weight }) => weight)).toEqual([100, 0]);
      expect(back.rollout?.reason).toMatch(/of \d+ responses of next were errors/);
      await world.ingress.settled();
      const before = count;
      for (let index = 0; index < 50; index += 1) expect((await world.get(name)).text).toBe('good /');
      isOver = true;
      await load;
      // One request may have been under way.
      expect(count - before).toBeLessThanOrEqual(1);
      const counted = (await world.read(route.id, acme)).traffic.find(({ backend }) => backend === 'next');
      expect(counted?.errors_percent).toBeGreaterThan(5);
    });

    test('a rollout goes on where it was after the gateway is killed and the worker starts anew', async () => {
      const [good, next] = [await world.named('good'), await world.named('next')];
      const backends = [url(good, 100, 'stable'), url(next, 0, 'next')];
      const rollout = { to: 'next', steps: [20, 100], interval_s: MIN_INTERVAL_S, abort_above_errors_percent: 50 };
      const route = await world.apply(acme, { backends, rollout });
      await world.until(route.id, acme, isActive);
      await world.restartWorker();
      for (const pid of (await world.processes()).reverse()) if (pid > 1) kill(pid);
      const done = await world.until(route.id, acme, (found) => found.rollout?.state !== 'running', 120_000);
      expect([done.rollout?.state, ...done.backends.map(({ weight }) => weight)]).toEqual(['completed', 0, 100]);
      await world.until(route.id, acme, isActive);
      await world.ingress.settled();
      for (let index = 0; index < 20; index += 1) expect((await world.get(name)).text).toBe('next /');
      const { body } = await world.call('GET', `/activity?resource_id=${route.id}`, world.token(acme));
      const steps = (body as { action: string }[]).filter(({ action }) => action.includes('rollout'));
      expect(steps.slice(0, 2).map(({ action }) => action)).toEqual([
        'gateway_route.rollout_complete',
        'gateway_route.rollout_step',
      ]);
    });

    test('a host that waits for its proof is not served, and certificate authorities are answered before routes', async () => {
      const pending = await world.apply(acme, {
        name: 'pending',
        host: 'www.example.org',
        backends: [url(await world.named('squatter'))],
      });
      expect(pending.status).toBe('pending_verification');
      await world.ingress.settled();
      expect((await world.get('www.example.org')).status).toBe(404);
      const prefix = '/.well-known/acme-challenge/';
      const grabbing = await world.apply(acme, {
        name: 'grabbing',
        path_prefix: prefix,
        backends: [url(await world.named('grabber'))],
      });
      await world.until(grabbing.id, acme, isActive);
      expect((await world.get(name, `${prefix}token`)).text).not.toContain('grabber');
      for (const { id } of [pending, grabbing]) await world.call('DELETE', `/gateway/routes/${id}`, world.token(acme));
    });

    test('a certificate is served for the host whose route names it, and for no other', async () => {
      const host = await ownHost(acme, 'secure');
      // It also names hosts of others, as a certificate of a tenant may.
      const theirs = await ownHost(other);
      const made = (serial: string) => certificateUpload(serial, { names: [host, theirs] });
      const certificate = idOf(
        await world.call('POST', '/gateway/certificates', { ...world.token(acme), body: await made('secure') }),
      );
      const at = await world.named('secure');
      const route = await world.apply(acme, {
        name: 'secure',
        host,
        tls_certificate_id: certificate,
        backends: [url(at)],
      });
      await world.until(route.id, acme, isActive);
      const served = (servername: string) =>
        new Promise<PeerCertificate>((resolve, reject) => {
          const socket = connect(
            { host: '127.0.0.1', port: settings().gatewayHttpsPort, servername, rejectUnauthorized: false },
            () => {
              resolve(socket.getPeerCertificate());
              socket.destroy();
            },
          );
          socket.on('error', reject);
        });
      const first = await served(host);
      expect(first.subjectaltname).toBe(`DNS:${host}, DNS:${theirs}`);
      for (const others of [name, theirs])
        expect((await served(others)).subjectaltname).toBe('DNS:apps.localhost, DNS:*.apps.localhost');
      // A renewed one reaches the running process.
      const processes = await world.processes();
      const renewed = await made('renewed');
      await execute(sql`UPDATE certificates SET chain_pem = ${renewed.certificate_pem}::text,
        sealed_key = ${sealKey(acme.id, certificate, renewed.private_key_pem)}::bytea WHERE id = ${certificate}::uuid`);
      const isRenewed = async () => (await served(host)).fingerprint256 !== first.fingerprint256;
      expect(await waitFor(isRenewed, { timeoutMs: 20_000, everyMs: 50 })).toBe(true);
      expect(await world.processes()).toEqual(processes);
    });

    test('a backend with a certificate that is not for its host gets nothing', async () => {
      const { certificate_pem: cert, private_key_pem: key } = await certificateUpload('x', {
        names: ['www.example.org'],
      });
      const server = createServer({ cert, key }, (_, response) => response.end('secret')).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo;
      const wrong = `https://127.0.0.1:${port}`;
      // The gateway runs already, and takes the server while it does.
      const before = await world.apply(acme, { backends: [url(await world.named('plain'))] });
      await world.until(before.id, acme, isActive);
      const route = await world.apply(acme, { backends: [url(wrong)] });
      const { status_reason } = await world.until(route.id, acme, ({ status }) => status === 'error');
      expect(status_reason).toBe('No backend is up. web: Its TLS certificate is not valid for its host.');
      expect((await world.get(name)).status).toBe(503);
      // A process that starts with this server checks it, too.
      for (const pid of (await world.processes()).reverse()) if (pid > 1) kill(pid);
      const refuses = () =>
        world.get(name).then(
          ({ status }) => status === 503,
          () => false,
        );
      expect(await waitFor(refuses, { timeoutMs: 60_000, everyMs: 50 })).toBe(true);
      await world.ingress.settled();
      expect((await world.read(route.id, acme)).status).toBe('error');
      // Nor does it get a share of requests beside another backend.
      await world.apply(acme, { backends: [url(wrong, 50, 'wrong'), url(await world.named('right'), 50, 'right')] });
      await world.until(route.id, acme, ({ status }) => status === 'degraded');
      await world.ingress.settled();
      for (let index = 0; index < 10; index += 1) expect((await world.get(name)).text).toBe('right /');
      server.close();
    });

    test('routes of a suspended project answer 503, and serve again afterwards', async () => {
      const route = await world.apply(acme, { backends: [url(await world.named('one'))] });
      await world.until(route.id, acme, isActive);
      await execute(sql`UPDATE projects SET status = 'suspended' WHERE id = ${acme.id}::uuid`);
      await waitFor(async () => (await world.get(name)).status === 503, { timeoutMs: 10_000, everyMs: 50 });
      expect((await world.get(name)).text).toBe('This service is suspended.');
      await execute(sql`UPDATE projects SET status = 'active' WHERE id = ${acme.id}::uuid`);
      expect(
        await waitFor(async () => (await world.get(name)).text === 'one /', { timeoutMs: 10_000, everyMs: 50 }),
      ).toBe(true);
    });

    test('what was sent to clients is billed, each byte once', async () => {
      const at = await world.origin((_, response) => response.end('x'.repeat(1_000_000)));
      const route = await world.apply(acme, { name: 'big', path_prefix: '/big', backends: [url(at)] });
      await world.until(route.id, acme, isActive);
      for (let index = 0; index < 5; index += 1) await world.get(name, '/big');
      const billed = async () =>
        (
          await queryRow<{ sum: number }>(
            sql`SELECT coalesce(sum(quantity), 0)::float8 AS sum FROM usage_events WHERE resource_id = ${route.id}::uuid`,
          )
        ).sum;
      await waitFor(async () => (await billed()) >= 5_000_000, { timeoutMs: 10_000, everyMs: 100 });
      // With headers of requests and responses.
      expect(await billed()).toBeGreaterThan(5_000_000);
      expect(await billed()).toBeLessThan(5_005_000);
    });
  });
}
