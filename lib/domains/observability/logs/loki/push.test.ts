import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { registry } from '@/lib/metrics';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { listenOnLoopback } from '@/lib/testing/loopback';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { arrivalPurge, mergeChunks } from '../upkeep';
import { writeLogs } from '../write';
import { measurePushes } from './metrics';
import { pushLines } from './push';

testDatabase();

const pushed = z.object({
  streams: z.array(
    z.object({ stream: z.record(z.string(), z.string()), values: z.array(z.tuple([z.string(), z.string()])) }),
  ),
});

/** The status of the next answer; `cut`: the server closes the connection after it has read the lines. */
let reaction: number | 'cut' = 204;
let requests: { headers: NodeJS.Dict<string | string[]>; lines: string[] }[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  if (request.url === '/logs/loki/api/v1/push') {
    const { streams } = pushed.parse(JSON.parse(body));
    requests.push({ headers: request.headers, lines: streams.flatMap(({ values }) => values.map(([, line]) => line)) });
  }
  if (reaction === 'cut') request.socket.destroy();
  else response.writeHead(reaction).end(reaction === 204 ? undefined : 'a reason of Loki');
});
const port = await listenOnLoopback(server);
process.env.LOKI_URL = `http://user:p%40ss@127.0.0.1:${port}/logs/`;
process.env.LOKI_TENANT = 'cloud';

const { signal } = new AbortController();
const call = api();
let project: TestProject;
beforeAll(async () => {
  project = await createProject('pushing');
  await write('before');
  await pushLines(signal);
  await pushLines(signal);
});
afterAll(() => server.close());
beforeEach(() => {
  reaction = 204;
  requests = [];
});

let seconds = 0;
/** Back-off ends with the clock of the process. */
const waitLong = () => {
  seconds += 100;
  vi.spyOn(performance, 'now').mockReturnValue(1e9 + seconds * 1000);
};

async function write(text: string): Promise<void> {
  const labels = {
    service: 'compute',
    resource_id: 'r1',
    resource_name: 'web',
    level: 'info',
    stream: 'stdout',
  } as const;
  await writeLogs([{ project_id: project.id, labels, at: new Date(), text }]);
}
const waiting = async () =>
  (await queryRow<{ count: number }>(sql`SELECT count(*)::int AS count FROM log_pushes`)).count;

test('lines from before Loki was set are pushed as well, and nothing is pushed twice', async () => {
  expect(await waiting()).toBe(0);
  await pushLines(signal);
  expect(requests).toEqual([]);
  const { count } = await queryRow<{ count: number }>(sql`SELECT count(*)::int AS count FROM log_chunks`);
  expect(count).toBe(1);
});

test('a push has the credentials and the tenant of the settings', async () => {
  await write('one');
  await pushLines(signal);
  expect(requests).toMatchObject([
    {
      lines: ['one'],
      headers: {
        authorization: `Basic ${btoa('user:p@ss')}`,
        'x-scope-orgid': 'cloud',
        'content-type': 'application/json',
      },
    },
  ]);
  expect(await waiting()).toBe(0);
});

test.each([503, 429, 401, 404, 'cut'] as const)(
  'no line is lost when Loki answers %s, and the next attempt waits',
  async (status) => {
    reaction = status;
    await write(`kept ${status}`);
    await pushLines(signal);
    expect(await waiting()).toBe(1);
    requests = [];
    reaction = 204;
    await pushLines(signal);
    expect(requests).toEqual([]);
    waitLong();
    await pushLines(signal);
    expect(requests.map(({ lines }) => lines)).toEqual([[`kept ${status}`]]);
    expect(await waiting()).toBe(0);
  },
);

test('lines that Loki rejects as invalid do not hold up others', async () => {
  reaction = 400;
  await write('too old');
  await pushLines(signal);
  expect(await waiting()).toBe(0);
});

test('chunks that are merged before they were pushed are pushed', async () => {
  reaction = 503;
  for (let line = 0; line < 8; line += 1) await write(`merged ${line}`);
  await pushLines(signal);
  await setTestClock(121_000);
  await arrivalPurge.run(signal);
  await setTestClock(0);
  await mergeChunks(signal);
  expect(await waiting()).toBeLessThan(8);
  requests = [];
  reaction = 204;
  waitLong();
  await pushLines(signal);
  const lines = requests.flatMap((request) => request.lines);
  for (let line = 0; line < 8; line += 1) expect(lines).toContain(`merged ${line}`);
  expect(await waiting()).toBe(0);
});

test('metrics say how far behind Loki is', async () => {
  reaction = 503;
  await write('late');
  await setTestClock(60_000);
  await measurePushes();
  const text = await registry.metrics();
  expect(text).toMatch(/^nephele_loki_waiting_chunks 1$/m);
  expect(Number(/^nephele_loki_behind_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(59);
  await setTestClock(0);
  reaction = 204;
  await pushLines(signal);
  await measurePushes();
  expect(await registry.metrics()).toMatch(/^nephele_loki_behind_seconds 0$/m);
});

test.each([
  [503, 503, 'SERVICE_UNAVAILABLE'],
  ['cut', 503, 'SERVICE_UNAVAILABLE'],
  [429, 429, 'RATE_LIMITED'],
  [400, 400, 'a reason of Loki'],
] as const)('a query that Loki answers with %s is refused with %s', async (given, status, text) => {
  reaction = given;
  const answer = await call('GET', `/observability/logs?${new URLSearchParams({ query: '{service="lb"}' })}`, {
    token: project.users.reader.token,
  });
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
  expect(answer.text).not.toContain('127.0.0.1');
});
