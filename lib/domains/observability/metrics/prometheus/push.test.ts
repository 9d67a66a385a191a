import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { keepSamples } from '@/lib/core/devices/samples';
import { instanceSeries } from '@/lib/domains/compute/instance-metrics';
import { log } from '@/lib/log';
import { registry } from '@/lib/metrics';
import { domains } from '@/lib/platform/domains';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { listenOnLoopback } from '@/lib/testing/loopback';
import { idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { measureSamplePushes } from './metrics';
import { pushSamples } from './push';

testDatabase();

type Reaction = number | 'cut' | 'redirect' | 'refuse old';
/** How the server reacts to the next requests. `cut` closes the connection after it has read the request. */
let reaction: Reaction = 204;
let requests: { url: string | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }[] = [];
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  requests.push({ url: request.url, headers: request.headers, body });
  if (reaction === 'cut') return request.socket.destroy();
  if (reaction === 'redirect') return response.writeHead(307, { Location: '/elsewhere' }).end();
  const status = reaction === 'refuse old' ? (body.includes(OLD) ? 400 : 204) : reaction;
  return response.writeHead(status).end(status === 204 ? undefined : 'a reason of Prometheus');
});
const port = await listenOnLoopback(server);
process.env.PROMETHEUS_URL = `http://user:p%40ss@127.0.0.1:${port}/metrics/`;

const warn = vi.spyOn(log, 'warn');
const { signal } = new AbortController();
const call = api();
/** A value by which the server recognizes a sample that it refuses. */
const OLD = Buffer.alloc(8);
OLD.writeDoubleLE(666_666);
let project: TestProject;
let web: string;
beforeAll(async () => {
  await createCell();
  useMemoryEngines();
  project = await createProject('pushing');
  web = idOf(await launch(call, project, { name: 'web' }));
});
afterAll(() => server.close());
beforeEach(() => {
  reaction = 204;
  requests = [];
  warn.mockClear();
});

let seconds = 0;
/** Pauses are measured by the clock of the process. */
const waitLong = () => {
  seconds += 100;
  vi.spyOn(performance, 'now').mockReturnValue(1e9 + seconds * 1000);
};

let index = 0;
const start = Date.now() - 600_000;
async function sample(value: number, device_id = web): Promise<void> {
  index += 1;
  const at = new Date(start + index * 1000);
  await keepSamples(instanceSeries, [
    { project_id: project.id, device_id, at, values: instanceSeries.map(() => value) },
  ]);
}
const queued = () => prisma().samplePush.count();

test('a request has the credentials of the setting', async () => {
  await sample(1);
  await pushSamples(domains, signal);
  expect(requests).toMatchObject([
    {
      url: '/metrics/api/v1/write',
      headers: {
        authorization: `Basic ${btoa('user:p@ss')}`,
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
      },
    },
  ]);
  expect(await queued()).toBe(0);
});

test.each<Reaction>([503, 429, 401, 404, 'cut', 'redirect'])(
  'no sample is lost when Prometheus answers %s: the next attempt waits, and one warning without credentials is logged',
  async (given) => {
    reaction = given;
    await sample(1);
    await pushSamples(domains, signal);
    expect(await queued()).toBe(1);
    reaction = 204;
    await pushSamples(domains, signal);
    expect(requests).toHaveLength(1);
    expect(warn).toHaveBeenCalledTimes(1);
    const [{ err }] = warn.mock.calls[0] as unknown as [{ err: Error }];
    expect(`${err.stack} ${String(err.cause)}`).not.toMatch(/p@ss|p%40ss/);
    waitLong();
    await pushSamples(domains, signal);
    expect(requests).toHaveLength(2);
    expect(await queued()).toBe(0);
  },
);

test('a sample that Prometheus refuses does not hold up others, and one warning is logged', async () => {
  for (const value of [1, 666_666, 3, 666_666, 5]) await sample(value);
  reaction = 'refuse old';
  waitLong();
  await pushSamples(domains, signal);
  expect(await queued()).toBe(0);
  const value = Buffer.alloc(8);
  for (const sent of [1, 3, 5]) {
    value.writeDoubleLE(sent);
    expect(requests.filter(({ body }) => body.includes(value) && !body.includes(OLD))).toHaveLength(1);
  }
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ samples: 2 }), expect.anything());
});

test('samples of a deleted device are not sent', async () => {
  const device = newId();
  await prisma().device.create({ data: { project_id: project.id, id: device, kind: 'instance' } });
  await sample(1, device);
  await prisma().device.delete({ where: { project_id_id: { project_id: project.id, id: device } } });
  await pushSamples(domains, signal);
  expect([requests, await queued()]).toEqual([[], 0]);
});

test('a metric says how far behind Prometheus is', async () => {
  await sample(1);
  await setTestClock(60_000);
  await measureSamplePushes();
  await setTestClock(0);
  expect(Number(/^nephele_prometheus_behind_seconds (\S+)$/m.exec(await registry.metrics())?.[1])).toBeGreaterThan(59);
  await pushSamples(domains, signal);
  await measureSamplePushes();
  expect(await registry.metrics()).toMatch(/^nephele_prometheus_behind_seconds 0$/m);
});

test.each<[Reaction, number, string]>([
  [503, 503, 'SERVICE_UNAVAILABLE'],
  [401, 503, 'SERVICE_UNAVAILABLE'],
  ['cut', 503, 'SERVICE_UNAVAILABLE'],
  ['redirect', 503, 'SERVICE_UNAVAILABLE'],
])('a query that Prometheus answers with %s is answered with %s', async (given, status, code) => {
  reaction = given;
  const answer = await call('GET', '/observability/prometheus/api/v1/query?query=x', {
    token: project.users.reader.token,
  });
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(code)]);
  expect(answer.text).not.toMatch(/127\.0\.0\.1|reason/);
});
