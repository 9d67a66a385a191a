import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { serve } from '@/lib/core/api/kernel';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { rollUpJob } from '@/lib/core/devices/rollups';
import { keepSamples } from '@/lib/core/devices/samples';
import { merged } from '@/lib/core/domains/portal';
import { instanceSeries } from '@/lib/domains/compute/instance-metrics';
import { volumeDiskSeries } from '@/lib/domains/storage/volume-metrics';
import { authenticate } from '@/lib/people/identity/authenticate';
import { endpoints } from '@/lib/platform/endpoints';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { loadbalancingTesting } from '@/lib/testing/domains/loadbalancing';
import { createCell } from '@/lib/testing/hosts';
import { listenOnLoopback } from '@/lib/testing/loopback';
import { idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { noPrometheus, skipped } from '@/lib/testing/prometheus';
import { hostileQueries } from '@/lib/testing/promql-corpus';
import { api, createProject, signIn, type TestProject } from '@/lib/testing/world';
import { writeLogs } from '../logs/write';
import { inTurn } from '../turns';
import { writeNumber } from './answer';
import type { dashboard as dashboardSchema } from './schema';

type Dashboard = z.output<typeof dashboardSchema>;

testDatabase();
const call = api();
const prometheus = '/observability/prometheus/api/v1';
/** A full five minutes, half an hour ago. */
const start = Math.floor(Date.now() / 300_000) * 300_000 - 1_800_000;

let acme: TestProject;
let globex: TestProject;
let web: string;
let db: string;
let theirs: string;
beforeAll(async () => {
  await createCell();
  useMemoryEngines();
  await execute(sql`UPDATE metric_levels SET until = ${new Date(start)}::timestamptz WHERE step_s = 300`);
  [acme, globex] = [await createProject('acme'), await createProject('globex')];
  web = idOf(await launch(call, acme, { name: 'web' }));
  db = idOf(await launch(call, acme, { name: 'db' }));
  theirs = idOf(await launch(call, globex, { name: 'canary' }));
  // Ten minutes at one processor second every two, and at one every four.
  for (const [project, device_id, share] of [
    [acme, web, 0.5],
    [acme, db, 0.25],
    [globex, theirs, 1],
  ] as const) {
    const samples = Array.from({ length: 41 }, (_, index) => ({
      project_id: project.id,
      device_id,
      at: new Date(start + index * 15_000),
      values: instanceSeries.map(({ type }) => (type === 'gauge' ? 64 + index : index * 15 * share)),
    }));
    for (const sample of samples) await keepSamples(instanceSeries, [sample]);
  }
});

const seconds = (after: number) => String(start / 1000 + after);
async function get(path: string, parameters: Record<string, string> = {}, project = acme) {
  const answer = await call('GET', `${path}?${new URLSearchParams(parameters)}`, { token: project.users.reader.token });
  return { status: answer.status, body: answer.body as Record<string, unknown> };
}
const query = (promql: string, after = 600, project = acme) =>
  get(`${prometheus}/query`, { query: promql, time: seconds(after) }, project);

test('a query answers in Prometheus’ own form', async () => {
  const { status, body } = await query('rate(nephele_instance_cpu_seconds{resource_name="web"}[1m])');
  const metric = { project: acme.id, resource_id: web, resource_name: 'web', service: 'compute' };
  const result = [{ metric, value: [start / 1000 + 600, '0.5'] }];
  expect([status, body]).toEqual([200, { status: 'success', data: { resultType: 'vector', result } }]);
});

test('queries take turns by project: while 64 are under way, the next one is refused, and another project’s is not', async () => {
  let end = () => {};
  const open = new Promise<void>((resolve) => {
    end = resolve;
  });
  const busy = Array.from({ length: 64 }, () => inTurn(acme.id, () => open));
  expect((await query('1')).status).toBe(429);
  expect((await get(`${prometheus}/labels`)).status).toBe(429);
  expect((await query('1', 600, globex)).status).toBe(200);
  end();
  await Promise.all(busy);
  expect((await query('1')).status).toBe(200);
});

test('a range query has a point for each step with a value', async () => {
  const parameters = { query: 'sum(nephele_instance_memory_bytes)', start: seconds(0), end: seconds(60), step: '30s' };
  const { body } = await get(`${prometheus}/query_range`, parameters);
  const values = [0, 30, 60].map((after) => [start / 1000 + after, String(2 * (64 + after / 15))]);
  expect(body.data).toEqual({ resultType: 'matrix', result: [{ metric: {}, values }] });
});

test('a form means the same as a query, and neither is audited', async () => {
  const before = await prisma().auditEntry.count();
  const parameters = new URLSearchParams({ query: 'count(nephele_instance_memory_bytes)', time: seconds(600) });
  const posted = await call('POST', `${prometheus}/query`, {
    token: acme.users.reader.token,
    body: parameters.toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  expect(posted.body).toEqual((await query('count(nephele_instance_memory_bytes)')).body);
  expect(await prisma().auditEntry.count()).toBe(before);
});

test('no query reaches another project', async () => {
  for (const promql of hostileQueries(globex.id, theirs, 'canary')) {
    const { status, body } = await query(promql);
    expect([promql, status]).toEqual([promql, 200]);
    expect(JSON.stringify(body), promql).not.toMatch(new RegExp(`canary|${theirs}|${globex.id}`));
  }
});

test('labels, their values and series are those of the project', async () => {
  const metric = { 'match[]': 'nephele_instance_memory_bytes' };
  expect((await get(`${prometheus}/labels`)).body.data).toEqual([
    '__name__',
    'project',
    'resource_id',
    'resource_name',
    'service',
  ]);
  expect((await get(`${prometheus}/label/resource_name/values`)).body.data).toEqual(['db', 'web']);
  expect((await get(`${prometheus}/label/resource_name/values`, { end: seconds(-1) })).body.data).toEqual([]);
  expect((await get(`${prometheus}/series`, metric)).body.data).toHaveLength(2);
  expect((await get(`${prometheus}/metadata`, { metric: 'nephele_instance_cpu_seconds' })).body.data).toEqual({
    nephele_instance_cpu_seconds: [{ type: 'counter', unit: 'seconds', help: expect.any(String) }],
  });
});

test.each([
  ['query', { query: 'sum(' }, 400, 'bad_data', '1:5: parse error: unexpected end of input'],
  ['query', {}, 400, 'bad_data', 'unexpected end of input'],
  ['query', { query: 'x', time: 'yesterday' }, 400, 'bad_data', 'invalid parameter "time"'],
  ['query', { query: 'nephele_instance_memory_bytes[1m]' }, 400, 'bad_data', '1:1: parse error: a range vector'],
  ['query_range', { query: 'x', start: '0', end: '11000', step: '1' }, 400, 'bad_data', '11,000 points'],
  ['query_range', { query: 'x', start: '0', end: '1', step: '0' }, 400, 'bad_data', 'step widths'],
  ['query_range', { query: '"x"', start: '0', end: '1', step: '1' }, 400, 'bad_data', 'for range query'],
  ['series', {}, 400, 'bad_data', 'no match[] parameter'],
  ['series', { 'match[]': 'sum(x)' }, 400, 'bad_data', 'only a selector'],
  ['query', { query: 'rate({service="compute"}[10m])', time: seconds(600) }, 422, 'execution', 'same labelset'],
])('%s %j is refused as Prometheus does', async (path, parameters, status, errorType, error) => {
  const answer = await get(`${prometheus}/${path}`, parameters);
  expect([answer.status, answer.body]).toEqual([
    status,
    { status: 'error', errorType, error: expect.stringContaining(error) },
  ]);
});

test('old samples are answered from roll-ups, with a warning', async () => {
  await setTestClock(49 * 3_600_000);
  const parameters = new URLSearchParams({
    query: 'nephele_instance_memory_bytes{resource_name="db"}',
    time: seconds(600),
  });
  const token = await signIn(acme.users.reader.id);
  const { body } = await call('GET', `${prometheus}/query?${parameters}`, { token });
  await setTestClock(0);
  expect(body).toMatchObject({
    data: { result: [{ value: [expect.anything(), '104'] }] },
    warnings: [expect.stringContaining('5 minutes')],
  });
});

test('numbers are written as Go writes them', () => {
  expect([1, -0.5, 1e21, 1.5e-7, 123e25, Number.NaN, -Infinity, Infinity, -0].map(writeNumber)).toEqual([
    '1',
    '-0.5',
    '1000000000000000000000',
    '0.00000015',
    '1230000000000000000000000000',
    'NaN',
    '-Inf',
    '+Inf',
    '-0',
  ]);
});

const timeseries = (type: string, parameters: Record<string, string>, project = acme) =>
  get(
    `/observability/timeseries/${type}`,
    { start: seconds(0), end: seconds(1200), step: '5m', ...parameters },
    project,
  );

test('a time series has every interval, and null for a gap', async () => {
  const { status, body } = await timeseries('cpu', { resource_id: web });
  const points = [300, 600, 900, 1200].map((after) => new Date(start + after * 1000).toISOString());
  expect(status).toBe(200);
  expect(body).toEqual({
    metric_type: 'cpu',
    unit: 'cores',
    step_s: 300,
    series: [
      {
        resource: { type: 'instance', id: web, name: 'web' },
        labels: {},
        points: [
          [points[0], 0.5],
          [points[1], 0.5],
          [points[2], null],
          [points[3], null],
        ],
      },
    ],
  });
});

test('time series of all resources are added up, with a line for each direction', async () => {
  const { body } = await timeseries('network', { aggregate: 'sum' });
  expect(body).toMatchObject({
    unit: 'bytes_per_second',
    series: [
      {
        resource: null,
        labels: { direction: 'receive' },
        points: [[expect.anything(), 0.75], {}, [expect.anything(), null], {}],
      },
      { resource: null, labels: { direction: 'transmit' } },
    ],
  });
  expect((await timeseries('ram', { aggregate: 'max' })).body).toMatchObject({ unit: 'bytes' });
});

test('time series of disks include volumes, which are not added up with the instances that they are in', async () => {
  const token = acme.users.member.token;
  const volume = idOf(await call('POST', '/storage/volumes', { token, body: { name: 'data', size_gb: 1 } }));
  const before = (await timeseries('disk', { aggregate: 'sum' })).body;
  for (const second of [15, 30]) {
    const values = volumeDiskSeries.map(() => second * 4);
    const at = new Date(start + second * 1000);
    await keepSamples(volumeDiskSeries, [{ project_id: acme.id, device_id: volume, at, values }]);
  }
  const { body } = await timeseries('disk', { resource_type: 'volume', end: seconds(300) });
  expect(body).toMatchObject({
    series: [
      { resource: { type: 'volume', name: 'data' }, labels: { direction: 'read' }, points: [[expect.anything(), 4]] },
      { resource: { type: 'volume', name: 'data' }, labels: { direction: 'write' }, points: [[expect.anything(), 4]] },
    ],
  });
  expect((await timeseries('disk', { aggregate: 'sum' })).body).toEqual(before);
  expect(JSON.stringify((await timeseries('disk', {})).body)).toContain(volume);
});

test('a time series that a resource does not report is not found, and the answer says why', async () => {
  const volume = idOf(
    await call('POST', '/storage/volumes', { token: acme.users.member.token, body: { name: 'idle', size_gb: 1 } }),
  );
  expect(await timeseries('cpu', { resource_id: volume })).toMatchObject({
    status: 404,
    body: { error: { message: 'resource_id: the volume idle does not report cpu.' } },
  });
  expect(await timeseries('network', { resource_id: newId() })).toMatchObject({
    status: 404,
    body: { error: { message: 'resource_id: no resource with this id reports metrics in this project.' } },
  });
  expect(await timeseries('disk', { resource_id: volume })).toMatchObject({ status: 200 });
});

test('a time series of another project’s resource does not exist', async () => {
  expect((await timeseries('cpu', { resource_id: theirs })).status).toBe(404);
  expect((await timeseries('gpu', {})).status).toBe(404);
  expect((await timeseries('cpu', { step: '1ms', start: '2020-01-01T00:00:00Z' })).status).toBe(400);
});

const dashboard = async (period: string, project = acme, role: 'reader' | 'admin' = 'reader') => {
  const answer = await call('GET', `/observability/dashboard?period=${period}`, { token: project.users[role].token });
  expect(answer.status).toBe(200);
  return answer.body as Dashboard;
};

test('the dashboard adds up the resources of the project, and a time without samples is null', async () => {
  const { cpu, network, disk, resources, requests, top } = await dashboard('1h');
  const values = cpu.series[0]?.points.map(([, value]) => value) ?? [];
  expect(values).toHaveLength(60);
  expect(values.filter((value) => value !== null)).toEqual(Array.from({ length: 10 }, () => 0.75));
  expect([cpu.now, cpu.peak]).toEqual([null, 0.75]);
  expect([network.series.map(({ labels }) => labels.direction), network.peak]).toEqual([['receive', 'transmit'], 1.5]);
  expect(disk.series.map(({ labels }) => labels.direction)).toEqual(['read', 'write']);
  expect(resources.instance).toEqual({ total: 2, by_status: expect.any(Object) });
  expect(resources.network).toEqual({ total: 1, by_status: {} });
  expect(requests).toEqual({ rate: null, errors_percent: null, p99_ms: null });
  expect(top.filter(({ metric }) => metric === 'cpu')).toEqual([
    { resource: { type: 'instance', id: web, name: 'web' }, metric: 'cpu', value: 0.5 },
    { resource: { type: 'instance', id: db, name: 'db' }, metric: 'cpu', value: 0.25 },
  ]);
});

test('the dashboard’s value of now is the mean of the last minute', async () => {
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  // The next minute has the same, in case it begins meanwhile.
  for (const second of [-30, -15, 0, 30, 45, 60]) {
    const values = instanceSeries.map(() => (second === -15 || second === 45 ? 9 : 3));
    const sample = { project_id: globex.id, device_id: theirs, at: new Date(minute + second * 1000), values };
    await keepSamples(instanceSeries, [sample]);
  }
  const { ram } = await dashboard('1h', globex);
  expect(ram.now).toBe(5);
  expect(ram.series[0]?.points.at(-1)).toEqual([expect.any(String), 5]);
});

test.each([
  ['6h', 72],
  ['24h', 96],
  ['7d', 168],
])('the dashboard of %s is read from roll-ups', async (period, points) => {
  await rollUpJob.run(new AbortController().signal);
  const { ram, cpu } = await dashboard(period);
  expect([ram.series[0]?.points.length, cpu.series[0]?.points.length]).toEqual([points, points]);
  if (period !== '7d') expect(cpu.peak).toBeCloseTo(0.75);
});

test('the dashboard counts the log lines of the period, and those of the audit log for admins only', async () => {
  const project = await createProject('lines');
  const minutes = (ago: number, level: string, service: 'compute' | 'audit' = 'compute') => ({
    project_id: project.id,
    labels: { service, level, stream: 'test' },
    at: new Date(Date.now() - ago * 60_000),
    text: 'a line',
  });
  await writeLogs([minutes(90, 'error'), minutes(30, 'error'), minutes(20, 'error'), minutes(10, 'info')]);
  await writeLogs([minutes(5, 'error', 'audit')]);
  expect((await dashboard('1h', project)).logs).toEqual({ lines: 3, errors: 2 });
  expect((await dashboard('6h', project)).logs).toEqual({ lines: 4, errors: 3 });
  expect((await dashboard('1h', project, 'admin')).logs).toEqual({ lines: 4, errors: 3 });
});

test('the dashboard of a time in the past has its samples and lines alone', async () => {
  const project = await createProject('past');
  const entry = (minutes: number) => ({
    project_id: project.id,
    labels: { service: 'compute', level: 'error', stream: 'console' } as const,
    at: new Date(start + minutes * 60_000),
    text: `minute ${minutes}`,
  });
  await writeLogs([1, 2, 3, 4].map(entry));
  await writeLogs([entry(9)]);
  const read = async (from: number, to: number, of = project) => {
    const span = new URLSearchParams({ start: seconds(from * 60), end: seconds(to * 60) });
    return call('GET', `/observability/dashboard?${span}`, { token: of.users.reader.token });
  };
  const between = (await read(1.5, 3.5)).body as Dashboard;
  expect([between.period, between.logs]).toEqual([null, { lines: 2, errors: 2 }]);
  expect(((await read(0, 8)).body as Dashboard).logs.lines).toBe(4);
  expect(((await read(3.5, 10)).body as Dashboard).logs.lines).toBe(2);
  const { cpu } = (await read(0, 10, acme)).body as Dashboard;
  const points = cpu.series[0]?.points ?? [];
  expect(points.at(-1)?.[0]).toBe(new Date(start + 600_000).toISOString());
  expect(points.some(([, value]) => value !== null)).toBe(true);
  expect((await read(5, 4)).status).toBe(400);
  const { status } = await call('GET', '/observability/dashboard?end=now', { token: acme.users.reader.token });
  expect(status).toBe(400);
});

test('the dashboard has the requests to load balancers: their rate, failures and slowest listener', async () => {
  const project = await createProject('busy');
  const create = merged([loadbalancingTesting.fixtures])['/lbaas/loadbalancers/{id}'];
  const { id = '' } = (await create?.(project, call)) ?? {};
  const ofListener = (name: string, type: 'counter' | 'gauge', labels: object) =>
    ({ name: `nephele_load_balancer_listener_${name}`, type, labels: { port: '80', ...labels } }) as const;
  const reported = [
    ofListener('responses', 'counter', { code: '2xx' }),
    ofListener('responses', 'counter', { code: '5xx' }),
    ofListener('p99_seconds', 'gauge', {}),
  ];
  // Two answers and one failure a second, of which the slowest take 0.1 s and 0.3 s in turn.
  for (let index = 0; index <= 40; index += 1) {
    const at = new Date(start + index * 15_000);
    const values = [index * 30, index * 15, index % 2 === 0 ? 0.1 : 0.3];
    await keepSamples(reported, [{ project_id: project.id, device_id: id, at, values }]);
  }
  const span = new URLSearchParams({ start: seconds(150), end: seconds(450) });
  const read = (of: TestProject) => call('GET', `/observability/dashboard?${span}`, { token: of.users.reader.token });
  const { requests } = (await read(project)).body as Dashboard;
  expect(requests.rate).toBeCloseTo(3, 5);
  expect(requests.errors_percent).toBeCloseTo(100 / 3, 5);
  expect(requests.p99_ms).toBeGreaterThan(180);
  expect(requests.p99_ms).toBeLessThan(220);
  const none = { rate: null, errors_percent: null, p99_ms: null };
  expect((await read(globex)).body).toMatchObject({ requests: none });
});

test('the dashboard shows incidents of the project that were open in the period, and no one else’s', async () => {
  const incident = (project_id: string | null, key: string, hoursAgo: number, hoursClosed: number | null) => ({
    ...{ id: newId(), key, project_id, resource_type: 'instance', resource_id: web, reason: key },
    opened_at: new Date(Date.now() - hoursAgo * 3_600_000),
    closed_at: hoursClosed === null ? null : new Date(Date.now() - hoursClosed * 3_600_000),
  });
  const data = [
    incident(acme.id, 'open', 30, null),
    incident(acme.id, 'closed', 30, 3),
    incident(globex.id, 'theirs', 1, null),
    incident(null, 'of no project', 1, null),
  ];
  await prisma().incident.createMany({ data });
  expect((await dashboard('1h')).incidents.map(({ reason, status }) => [reason, status])).toEqual([['open', 'open']]);
  const later = (await dashboard('6h')).incidents.map(({ reason, status }) => [reason, status]);
  expect(later).toEqual([
    ['closed', 'closed'],
    ['open', 'open'],
  ]);
});

test('a dashboard shows nothing of another project', async () => {
  const text = JSON.stringify(await dashboard('7d', await createProject('empty'), 'admin'));
  expect(text).not.toMatch(new RegExp(`${web}|${theirs}|${acme.id}`));
});

test.skipIf(noPrometheus)(`promtool queries the API with an API token as it queries Prometheus${skipped}`, async () => {
  const served = serve(endpoints, authenticate);
  const server = createServer(
    getRequestListener((request) => served.fetch(request, { incoming: { socket: { remoteAddress: '127.0.0.1' } } }), {
      overrideGlobalObjects: false,
    }),
  );
  onTestFinished(() => void server.close());
  const made = await call('POST', '/auth/tokens', { ...acme.users.reader, body: { name: 'promtool', role: 'reader' } });
  const { token } = made.body as { token: string };
  const address = `http://promtool:${token}@127.0.0.1:${await listenOnLoopback(server)}/api/v1/observability/prometheus`;
  const promtool = async (...argv: string[]) => (await promisify(execFile)('promtool', ['query', ...argv])).stdout;
  const series = 'nephele_instance_cpu_seconds{resource_name="web"}';
  expect(await promtool('instant', `--time=${seconds(600)}`, address, `rate(${series}[1m])`)).toContain('=> 0.5 @');
  const span = [`--start=${seconds(0)}`, `--end=${seconds(60)}`];
  expect(await promtool('range', ...span, '--step=30s', address, `sum(${series})`)).toMatch(/0 @.*\n15 @.*\n30 @/);
  expect(await promtool('labels', address, 'resource_name')).toBe('data\ndb\nweb\n');
  expect(await promtool('series', '--match=nephele_instance_memory_bytes', address)).toContain(web);
  await expect(promtool('instant', address, 'sum(')).rejects.toThrow('1:5: parse error');
});
