import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { execute, query, queryRow } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { LogCollector } from '@/lib/domains/observability/logs/collect';
import { waitFor } from '@/lib/engines/local/turns';
import { ownCell } from '@/lib/settings';
import { certificateUpload } from '@/lib/testing/certificates';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { ownHost } from '@/lib/testing/domains/gateway';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { gateway } from './domain';
import { bareSpec } from './ingress/spec';
import { manifestOf } from './manifest';
import { weightsAt } from './rollout';
import { advanceRollouts } from './rollouts';
import type { Route } from './schema';
import { parseLine } from './traffic/line';
import { countTraffic } from './traffic/traffic';
import { verifyHosts } from './verification';

testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;
beforeEach(async () => {
  await createCell();
  [acme, other] = await Promise.all([createProject('acme'), createProject('other')]);
  await Promise.all([acme, other].map(defaultNetwork));
});

let clock = 0;
const advanceClock = (ms: number) => {
  clock += ms;
  return setTestClock(clock);
};
beforeEach(() => {
  clock = 0;
  return setTestClock(0);
});

const token = (project: TestProject) => ({ token: project.users.member.token });
const backend = (change: object = {}) => ({ name: 'web', url: 'https://www.example.org', weight: 100, ...change });
const apply = async (change: object = {}, project = acme) =>
  call('POST', '/gateway/routes', {
    ...token(project),
    body: { name: 'shop', host: await ownHost(project), backends: [backend()], ...change },
  });
const read = async (id: string, project = acme) =>
  (await call('GET', `/gateway/routes/${id}`, token(project))).body as Route;
const message = (answer: { body: unknown }) =>
  (answer.body as { detail?: string; message?: string }).detail ?? JSON.stringify(answer.body);
const used = async () => {
  const row = await queryRow<{ used: number }>(
    sql`SELECT api_gateways_used::float8 AS used FROM project_accounts WHERE project_id = ${acme.id}::uuid`,
  );
  return row.used;
};

test('a name creates a route once and replaces it from then on; only the first claims quota', async () => {
  const created = await apply();
  expect([created.status, created.body]).toMatchObject([
    201,
    {
      name: 'shop',
      path_prefix: '/',
      status: 'degraded',
      verification: null,
      traffic: [{ backend: 'web', requests: 0, share_percent: 0 }],
    },
  ]);
  const replaced = await apply({
    path_prefix: '/api/',
    backends: [backend({ weight: 95 }), backend({ name: 'canary', weight: 5 })],
  });
  expect([replaced.status, replaced.body]).toMatchObject([
    200,
    { id: idOf(created), path_prefix: '/api', backends: [{ weight: 95 }, { weight: 5 }] },
  ]);
  expect(await used()).toBe(1);
  expect((await call('DELETE', `/gateway/routes/${idOf(created)}`, token(acme))).status).toBe(204);
  expect(await used()).toBe(0);
  expect((await call('GET', `/gateway/routes/${idOf(created)}`, token(acme))).status).toBe(404);
});

test('of 40 parallel creates at a limit of 15, exactly 15 succeed', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => apply({ name: `route-${index}`, path_prefix: `/${index}` })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(15);
  const refused = answers.filter(({ status }) => status === 403);
  expect(refused).toHaveLength(25);
  expect(message(refused[0] ?? { body: '' })).toContain('limit 15, in use 15');
  expect(await used()).toBe(15);
});

test('an apply and a rollback with a key happen once, and every change is in the audit log once', async () => {
  const rollout = { to: 'canary', steps: [5, 100], interval_s: 60, abort_above_errors_percent: 5 };
  const body = {
    name: 'shop',
    host: await ownHost(acme),
    backends: [backend(), backend({ name: 'canary', weight: 0 })],
    rollout,
  };
  const twice = async (path: string, options: object = {}) => {
    const request = { ...token(acme), ...options, headers: { 'Idempotency-Key': path } };
    const first = await call('POST', path, request);
    const again = await call('POST', path, request);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    return first;
  };
  const id = idOf(await twice('/gateway/routes', { body }));
  const path = `/gateway/routes/${id}`;
  expect((await twice(`${path}/rollback`)).status).toBe(200);
  expect((await call('DELETE', path, token(acme))).status).toBe(204);
  expect((await call('DELETE', path, token(acme))).status).toBe(404);
  expect(await used()).toBe(0);
  const entries = await prisma().auditEntry.findMany({
    where: { resource_id: id, result: 'succeeded' },
    orderBy: { id: 'asc' },
  });
  expect(entries.map(({ action }) => action)).toEqual([
    'gateway_route.apply',
    'gateway_route.roll_back',
    'gateway_route.delete',
  ]);
});

test('parallel applies of one name make one route', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => apply()));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201]);
  expect(new Set(answers.map(idOf)).size).toBe(1);
  expect(await used()).toBe(1);
});

test('a host and prefix belong to one route of the project', async () => {
  await apply({ path_prefix: '/api' });
  const second = await apply({ name: 'second', path_prefix: '/api/' });
  expect([second.status, message(second)]).toEqual([409, expect.stringContaining('/api')]);
  expect((await apply({ name: 'second', path_prefix: '/apis' })).status).toBe(201);
});

test.each([
  ['another project’s part of the domain', async () => ownHost(other)],
  ['the gateway’s domain', async () => 'apps.localhost'],
  ['a name directly below it', async () => 'shop.apps.localhost'],
  ['this machine', async () => 'shop.localhost'],
  ['the metadata name of clouds', async () => 'metadata.google.internal'],
  ['the platform’s name for guests', async () => 'platform.internal'],
  ['an IP address', async () => '203.0.113.7'],
  ['an IP address in another notation', async () => '0x7f.1'],
  ['a reserved function name', async () => `hello--fn.${(await ownHost(acme)).slice(5)}`],
  ['a wildcard', async () => '*.example.org'],
  ['a name with a port', async () => 'www.example.org:80'],
  ['a name with a line break', async () => 'www.example.org\nuse_backend x'],
])('%s cannot be the host of a route', async (_, host) => {
  const refused = await apply({ host: await host() });
  expect(refused.status, message(refused)).toBe(400);
});

test.each([
  ['loopback', 'http://127.0.0.1:3000'],
  ['a private range', 'https://10.0.0.5'],
  ['link-local', 'https://169.254.169.254'],
  ['loopback in another notation', 'https://2130706433'],
  ['IPv6 loopback', 'https://[::1]'],
  ['credentials', 'https://user:secret@www.example.org'],
  ['a path', 'https://www.example.org/base'],
  ['another scheme', 'ftp://www.example.org'],
  ['the platform itself', 'https://shop.acme.apps.localhost'],
])('a backend must not name %s', async (_, url) => {
  expect((await apply({ backends: [backend({ url })] })).status).toBe(400);
});

test.each([
  ['weights that do not add to 100', { backends: [backend({ weight: 99 })] }],
  ['two backends of one name', { backends: [backend({ weight: 50 }), backend({ weight: 50 })] }],
  ['a backend of two kinds', { backends: [backend({ instance_id: randomUUID(), port: 80 })] }],
  ['an instance without a port', { backends: [{ name: 'web', weight: 100, instance_id: randomUUID() }] }],
  ['a rollout to nobody', { rollout: { to: 'canary' } }],
  [
    'steps that do not increase',
    { backends: [backend(), backend({ name: 'canary', weight: 0 })], rollout: { to: 'canary', steps: [50, 20] } },
  ],
  ['a prefix with dots', { path_prefix: '/a/../b' }],
  ['a prefix with a blank', { path_prefix: '/a b' }],
  ['a backend’s name with a line break', { backends: [backend({ name: 'web\nserver x' })] }],
])('%s is refused', async (_, change) => {
  expect((await apply(change)).status).toBe(400);
});

test('instances, load balancers and certificates of others do not exist', async () => {
  const instance = idOf(await launch(call, other));
  const foreign = await apply({ backends: [backend({ url: undefined, instance_id: instance, port: 80 })] });
  expect(foreign.status).toBe(404);
  const certificate = idOf(
    await call('POST', '/gateway/certificates', {
      ...token(other),
      body: await certificateUpload('theirs', { names: [await ownHost(acme)] }),
    }),
  );
  expect((await apply({ tls_certificate_id: certificate })).status).toBe(404);
});

test('a certificate must cover the host, and cannot be deleted while the route names it', async () => {
  const host = await ownHost(acme);
  const upload = async (name: string, names: string[]) =>
    idOf(
      await call('POST', '/gateway/certificates', { ...token(acme), body: await certificateUpload(name, { names }) }),
    );
  const wrong = await apply({ tls_certificate_id: await upload('wrong', ['www.example.org']) });
  expect([wrong.status, message(wrong)]).toEqual([400, expect.stringContaining('not for')]);
  const certificate = await upload('right', [host]);
  const route = await apply({ tls_certificate_id: certificate });
  expect(route.body).toMatchObject({
    tls_certificate_id: certificate,
    url: expect.stringMatching(/^https:/),
  });
  const remove = () => call('DELETE', `/gateway/certificates/${certificate}`, token(acme));
  expect((await remove()).status).toBe(409);
  await apply();
  expect((await remove()).status).toBe(204);
});

test('a host on the internet waits for its TXT record, and the first project that has it serves it', async () => {
  const host = 'www.example.org';
  const [mine, theirs] = [await apply({ host }), await apply({ host }, other)];
  expect(mine.body).toMatchObject({
    status: 'pending_verification',
    verification: { record: '_nephele.www.example.org', value: `nephele-project=${acme.id}` },
  });
  const rows = () => prisma().gatewayHost.findMany({ orderBy: { status: 'asc' } });
  await verifyHosts(async () => [['v=spf1 -all']]);
  expect((await rows()).map(({ status }) => status)).toEqual(['pending', 'pending']);
  await advanceClock(60_000);
  const records = async (name: string) =>
    name === '_nephele.www.example.org' ? [acme, other].map(({ id }) => ['nephele-', `project=${id}`]) : [];
  await verifyHosts(async (name) => (await records(name)).slice(0, 1));
  await advanceClock(60_000);
  await verifyHosts(records);
  expect((await rows()).map(({ status, project_id }) => [status, project_id])).toEqual([
    ['refused', other.id],
    ['verified', acme.id],
  ]);
  // Its record has gone: three days later the host is free for the other one.
  for (let day = 0; day < 3; day += 1) {
    await advanceClock(24 * 60 * 60_000 + 1000);
    await verifyHosts(async () => [[`nephele-project=${other.id}`]]);
  }
  await advanceClock(60 * 60_000 + 1000);
  await verifyHosts(async () => [[`nephele-project=${other.id}`]]);
  expect((await rows()).map(({ status, project_id }) => [status, project_id])).toEqual([
    ['pending', acme.id],
    ['verified', other.id],
  ]);
  // Tokens have expired meanwhile.
  await setTestClock(0);
  await call('DELETE', `/gateway/routes/${idOf(theirs)}`, token(other));
  expect(await prisma().gatewayHost.count({ where: { project_id: other.id } })).toBe(0);
});

test('the manifest names hosts, paths, weights and services of the Gateway API', async () => {
  const instance = idOf(await launch(call, acme));
  const route = await apply({
    path_prefix: '/api',
    strip_prefix: true,
    request_timeout_s: 30,
    backends: [backend({ weight: 90 }), { name: 'vm', weight: 10, instance_id: instance, port: 8080 }],
  });
  const answer = await call('GET', `/gateway/routes/${idOf(route)}/manifest`, token(acme));
  expect(answer.headers.get('content-type')).toContain('application/yaml');
  const [httpRoute, ...others] = parseAllDocuments(answer.text).map((document) => document.toJS());
  const services = others.filter(({ kind }) => kind === 'Service');
  expect(httpRoute).toMatchObject({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    spec: {
      hostnames: [await ownHost(acme)],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/api' } }],
          filters: [
            { type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } } },
          ],
          backendRefs: [
            { port: 443, weight: 90 },
            { port: 8080, weight: 10 },
          ],
          timeouts: { request: '30s' },
        },
      ],
    },
  });
  expect(services).toMatchObject([
    { kind: 'Service', spec: { type: 'ExternalName', externalName: 'www.example.org' } },
    { kind: 'Service', spec: { ports: [{ port: 8080 }] } },
  ]);
  // Otherwise a gateway would speak plain HTTP to it.
  expect(others.filter(({ kind }) => kind === 'BackendTLSPolicy')).toMatchObject([
    {
      spec: {
        targetRefs: [{ kind: 'Service', name: services[0].metadata.name }],
        validation: { hostname: 'www.example.org', wellKnownCACertificates: 'System' },
      },
    },
  ]);
  const names = httpRoute.spec.rules[0].backendRefs.map(({ name }: { name: string }) => name);
  expect(services.map(({ metadata }) => metadata.name)).toEqual(names);
});

test('services of a manifest have names of their own, and addresses are endpoints', () => {
  const backend = {
    weight: 50,
    instance_id: null,
    load_balancer_id: null,
    function_id: null,
    port: null,
    status: 'up',
    status_reason: null,
  } as const;
  const [route, ...services] = manifestOf({
    id: '01a2092c-e281-7362-ac63-6d3bc70997aa',
    name: '7 Ünï/'.repeat(20),
    host: 'www.example.org',
    path_prefix: '/',
    strip_prefix: false,
    request_timeout_s: null,
    sticky: false,
    tls_certificate_id: null,
    backends: [
      { ...backend, name: 'a.b', url: 'http://[2001:db8::1]:8080' },
      { ...backend, name: 'a-b', url: 'https://www.example.org' },
    ],
    status: 'active',
    status_reason: null,
    url: '',
    verification: null,
    traffic: [],
    rollout: null,
    created_at: '',
    updated_at: '',
  });
  const names = services.map((one) => (one as { metadata: { name: string } }).metadata.name);
  expect(names).toEqual([names[0], names[0], names[2], names[2]]);
  for (const name of [...names, (route as { metadata: { name: string } }).metadata.name])
    expect(name).toMatch(/^[a-z][a-z0-9-]{0,61}[a-z0-9]$/);
  expect(services).toMatchObject([
    { kind: 'Service', spec: { ports: [{ port: 8080 }] } },
    {
      kind: 'EndpointSlice',
      addressType: 'IPv6',
      endpoints: [{ addresses: ['2001:db8::1'] }],
      metadata: { labels: { 'kubernetes.io/service-name': names[0] } },
    },
    { kind: 'Service', spec: { type: 'ExternalName', externalName: 'www.example.org', ports: [{ port: 443 }] } },
    { kind: 'BackendTLSPolicy', spec: { validation: { hostname: 'www.example.org' } } },
  ]);
  expect(names[2]).not.toBe(names[0]);
});

test('weights of a rollout are whole, add to 100, and keep the proportion of the others', () => {
  expect(weightsAt({ a: 60, b: 40, c: 0 }, { to: 'c', steps: [5, 50, 100] }, 0)).toEqual({ a: 57, b: 38, c: 5 });
  expect(weightsAt({ a: 60, b: 40, c: 0 }, { to: 'c', steps: [5, 50, 100] }, 2)).toEqual({ a: 0, b: 0, c: 100 });
  expect(weightsAt({ a: 0, b: 0, c: 100 }, { to: 'c', steps: [10] }, 0)).toEqual({ a: 45, b: 45, c: 10 });
  for (const share of [1, 7, 33, 99]) {
    const weights = Object.values(weightsAt({ a: 33, b: 33, c: 33, d: 1 }, { to: 'd', steps: [share] }, 0));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(100);
  }
});

/** A route with a running rollout that the gateway serves. */
async function rollingOut(rollout: object = {}): Promise<string> {
  const id = idOf(
    await apply({
      backends: [backend({ name: 'stable' }), backend({ name: 'canary', weight: 0 })],
      rollout: {
        to: 'canary',
        steps: [5, 50, 100],
        interval_s: 60,
        abort_above_errors_percent: 5,
        abort_above_p99_ms: 500,
        ...rollout,
      },
    }),
  );
  await serve(id);
  return id;
}
const serve = (id: string) =>
  execute(sql`UPDATE gateway_routes SET served_revision = revision, status = 'active' WHERE id = ${id}::uuid`);
const traffic = (id: string, requests: number, errors: number, bucket = 20) =>
  execute(sql`INSERT INTO gateway_traffic (route_id, backend, at, bucket, requests, errors)
    VALUES (${id}::uuid, 'canary', platform_now(), ${bucket}::int, ${requests}::int, ${errors}::int)`);
const stateOf = async (id: string) => {
  const { rollout, backends } = await read(id);
  return [rollout?.state, rollout?.step, ...backends.map(({ weight }) => weight)];
};

test('a rollout goes on step by step, each for its time, and completes', async () => {
  const id = await rollingOut();
  expect(await stateOf(id)).toEqual(['running', 1, 95, 5]);
  await traffic(id, 100, 1);
  await advanceClock(59_000);
  await advanceRollouts(ownCell());
  expect(await stateOf(id)).toEqual(['running', 1, 95, 5]);
  await advanceClock(2_000);
  await advanceRollouts(ownCell());
  expect(await stateOf(id)).toEqual(['running', 2, 50, 50]);
  await advanceClock(61_000);
  await advanceRollouts(ownCell());
  // Not served yet: the time of a step that nobody saw does not count.
  expect(await stateOf(id)).toEqual(['running', 2, 50, 50]);
  for (const expected of [
    ['running', 3, 0, 100],
    ['completed', 3, 0, 100],
  ]) {
    await serve(id);
    await advanceClock(61_000);
    await advanceRollouts(ownCell());
    expect(await stateOf(id)).toEqual(expected);
  }
  const actions = await prisma().auditEntry.findMany({
    where: { resource_id: id, activity: true },
    orderBy: { id: 'asc' },
  });
  expect(actions.map(({ action }) => action)).toEqual([
    'gateway_route.apply',
    'gateway_route.rollout_step',
    'gateway_route.rollout_step',
    'gateway_route.rollout_complete',
  ]);
});

test.each([
  ['errors', 200, 20, 20, '10.0 %'],
  ['latency', 200, 0, 80, '99th percentile'],
])('too many %s take a rollout back at once', async (_, requests, errors, bucket, why) => {
  const id = await rollingOut();
  await traffic(id, requests, errors, bucket);
  await advanceRollouts(ownCell());
  expect(await stateOf(id)).toEqual(['rolled_back', 1, 100, 0]);
  expect((await read(id)).rollout?.reason).toContain(why);
});

test('a few requests decide only at the end of a step', async () => {
  const id = await rollingOut();
  await traffic(id, 5, 5);
  await advanceRollouts(ownCell());
  expect(await stateOf(id)).toEqual(['running', 1, 95, 5]);
  await advanceClock(61_000);
  await advanceRollouts(ownCell());
  expect(await stateOf(id)).toEqual(['rolled_back', 1, 100, 0]);
});

test('a rollout can be stopped by hand while it runs', async () => {
  const id = await rollingOut();
  const stop = () => call('POST', `/gateway/routes/${id}/rollback`, token(acme));
  expect([(await stop()).status, await stateOf(id)]).toEqual([200, ['stopped', 1, 100, 0]]);
  expect((await stop()).status).toBe(409);
});

/** The service of the gateway in this cell, a new one. */
async function ingressOf(): Promise<string> {
  const row = { cell_id: ownCell(), service_id: randomUUID(), log_cursor: null };
  await prisma().gatewayIngress.upsert({ where: { cell_id: row.cell_id }, create: row, update: row });
  return row.service_id;
}

test('each line of the log counts once, for traffic and for bills', async () => {
  const engines = useMemoryEngines();
  const id = idOf(await apply({ backends: [backend({ weight: 50 }), backend({ name: 'canary', weight: 50 })] }));
  const service = await ingressOf();
  const line = (server: string, status: number, sent: number, ms: number) =>
    `${status} ${sent} 100 ${ms} 203.0.113.9 route-${id} ${server} ---- GET 1F http shop.example.org /a "b\\`;
  await engines.services.ensureService(bareSpec(service));
  for (const text of [
    line('web', 200, 1000, 10),
    line('web', 500, 1000, 20),
    line('canary', 200, 1000, 30),
    line('<NOSRV>', 503, 200, 0),
    line('<NOSRV>', 408, 0, 0),
    // The same backend after its target has changed.
    line('web:0123456789ab', 200, 0, 10),
    'garbage',
    line('web', 200, 1000, 10).replace('1000', '1e3x'),
    line('web', 200, 1000, 10).slice(0, 30),
  ])
    engines.services.say(service, text);
  await countTraffic(ownCell());
  await countTraffic(ownCell());
  expect((await read(id)).traffic).toEqual([
    { backend: 'web', requests: 3, share_percent: 75, errors_percent: 33.33, p99_ms: expect.any(Number) },
    { backend: 'canary', requests: 1, share_percent: 25, errors_percent: 0, p99_ms: expect.any(Number) },
  ]);
  const { unserved_responses } = await prisma().gatewayRoute.findUniqueOrThrow({ where: { id } });
  expect(unserved_responses).toBe(1n);
  // 3 × 1,000 and 200 to clients, 4 × 100 to backends on the internet.
  const { billed } = await queryRow<{ billed: string }>(
    sql`SELECT coalesce(sum(quantity), 0)::text AS billed FROM usage_events WHERE resource_id = ${id}::uuid`,
  );
  expect(Number(billed)).toBe(3600);
});

/** Bytes of a route on the bill. */
async function billedTo(id: string): Promise<[project: string, name: string, bytes: number][]> {
  const rows = await query<{ project_id: string; name: string; bytes: number }>(
    sql`SELECT project_id, resource_name AS name, sum(quantity)::float8 AS bytes FROM usage_events
      WHERE resource_id = ${id}::uuid AND metric = 'network_egress' GROUP BY 1, 2`,
  );
  return rows.map(({ project_id, name, bytes }) => [project_id, name, bytes]);
}

test('the last lines of a route that was deleted are billed once, and are in the log of its project', async () => {
  const engines = useMemoryEngines();
  const id = idOf(await apply());
  const service = await ingressOf();
  await engines.services.ensureService(bareSpec(service));
  const say = (path: string) =>
    engines.services.say(
      service,
      `200 1000 100 10 203.0.113.9 route-${id} web ---- GET 1F http shop.example.org ${path}`,
    );
  say('/before');
  await countTraffic(ownCell());
  say('/uncounted');
  expect((await call('DELETE', `/gateway/routes/${id}`, token(acme))).status).toBe(204);
  await countTraffic(ownCell());
  // A response that was under way.
  say('/after');
  await countTraffic(ownCell());
  await countTraffic(ownCell());
  expect(await billedTo(id)).toEqual([[acme.id, 'shop', 3 * 1100]]);
  await new LogCollector(ownCell(), gateway.logs).look();
  const asked = new URLSearchParams({ query: `{service="gateway", resource_id="${id}"} |= "/after"` });
  const { body } = await call('GET', `/observability/logs?${asked}`, token(acme));
  expect(body).toMatchObject({ data: { result: [{ values: [[expect.any(String), expect.any(String)]] }] } });
});

test('a route that is deleted while its lines are counted is billed once, and the others count', async () => {
  const engines = useMemoryEngines();
  const [gone, kept] = [idOf(await apply()), idOf(await apply({ name: 'kept', path_prefix: '/kept' }))];
  const service = await ingressOf();
  await engines.services.ensureService(bareSpec(service));
  for (const id of [gone, kept])
    engines.services.say(service, `200 1000 100 10 203.0.113.9 route-${id} web ---- GET 1F http shop.example.org /`);
  let counting: Promise<void> | undefined;
  await prisma().$transaction(async (transaction) => {
    await transaction.$executeRaw`INSERT INTO gateway_former_routes (id, project_id, name, backends, deleted_at)
      SELECT id, project_id, name, backends, platform_now() FROM gateway_routes WHERE id = ${gone}::uuid`;
    await transaction.$executeRaw`DELETE FROM gateway_routes WHERE id = ${gone}::uuid`;
    counting = countTraffic(ownCell());
    const waiting = () =>
      transaction.$queryRaw<
        unknown[]
      >`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    expect(await waitFor(async () => (await waiting()).length > 0, { timeoutMs: 4000, everyMs: 10 })).toBe(true);
  });
  await counting;
  expect((await read(kept)).traffic).toMatchObject([{ requests: 1 }]);
  expect(await billedTo(gone)).toEqual([[acme.id, 'shop', 1100]]);
  expect(await billedTo(kept)).toEqual([[acme.id, 'kept', 1100]]);
});

test('requests are found in the log of their project only, by the route, each once', async () => {
  const engines = useMemoryEngines();
  const id = idOf(await apply());
  await apply({}, other);
  const service = await ingressOf();
  await engines.services.ensureService(bareSpec(service));
  const line = `503 10 100 5 203.0.113.9 route-${id} web ---- GET 1F http shop.example.org /broken`;
  for (const text of [line, 'Server is DOWN', line.replace(id, randomUUID())]) engines.services.say(service, text);
  const collector = new LogCollector(ownCell(), gateway.logs);
  await collector.look();
  await collector.look();
  await new LogCollector(ownCell(), gateway.logs).look();
  const found = async (project: TestProject) => {
    const asked = new URLSearchParams({
      query: `{service="gateway", resource_id="${id}", resource_name="shop", level="error"} | json`,
    });
    const { body } = await call('GET', `/observability/logs?${asked}`, token(project));
    return (body as { data: { result: { values: [string, string][] }[] } }).data.result.flatMap(({ values }) =>
      values.map(([, text]) => JSON.parse(text)),
    );
  };
  expect(await found(acme)).toMatchObject([{ status: 503, backend: 'web', path: '/broken', client: '203.0.113.9' }]);
  expect(await found(other)).toEqual([]);
});

test('a path cannot forge the fields that are billed', () => {
  const line = '200 +1000 5 7 203.0.113.9 route-x web ---- GET 1F http host / 500 0 0 route-y web';
  expect(parseLine(line)).toMatchObject({ route_id: 'x', sent: 1000, backend: 'web', path: '/ 500 0 0 route-y web' });
});
