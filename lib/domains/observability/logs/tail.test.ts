import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { serve } from '@/lib/core/api/kernel';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { authenticate } from '@/lib/people/identity/authenticate';
import { testDatabase } from '@/lib/testing/database';
import { type Heard, hear } from '@/lib/testing/events';
import { createMember, createProject, type TestProject } from '@/lib/testing/world';
import { logEndpoints } from './endpoints';
import type { StreamLabels } from './labels';
import { mergeChunks } from './upkeep';
import { writeLogs } from './write';

testDatabase();

const app = serve(logEndpoints, authenticate);
let acme: TestProject;
let other: TestProject;
beforeAll(async () => {
  [acme, other] = await Promise.all([createProject('acme'), createProject('other')]);
});

const heard: Heard[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(heard.splice(0).map((stream) => stream.close()));
});

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 10_000, interval: 5 });

const labels = (name: string): StreamLabels => ({
  service: 'compute',
  resource_id: name,
  resource_name: name,
  level: 'info',
  stream: 'console',
});
const write = (name: string, ...texts: string[]) =>
  writeLogs(texts.map((text) => ({ project_id: acme.id, labels: labels(name), at: new Date(), text })));

function request(query: Record<string, string>, token = acme.users.reader.token, last = ''): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, ...(last && { 'Last-Event-ID': last }) };
  const address = `http://localhost/api/v1/observability/logs/tail?${new URLSearchParams(query)}`;
  return Promise.resolve(app.fetch(new Request(address, { headers })));
}

/** Follows a query, and waits for the first event. */
async function follow(
  query: string,
  given: Record<string, string> = {},
  token?: string,
  last?: string,
): Promise<Heard> {
  const response = await request({ query, ...given }, token, last);
  if (response.status !== 200 || !response.body) throw new Error(await response.text());
  const stream = hear(response.body);
  heard.push(stream);
  await until(() => expect(stream.events.map(({ name }) => name)).toContain('lines'));
  return stream;
}

type Lines = { streams: { stream: Record<string, string>; values: [string, string][] }[] };
const lines = ({ events }: Heard) =>
  events
    .filter(({ name }) => name === 'lines')
    .flatMap(({ data }) => (JSON.parse(data) as Lines).streams)
    .flatMap(({ values }) => values.map(([, line]) => line));
const lastId = ({ events }: Heard) => events.at(-1)?.id ?? '';

test('the newest lines so far come first, oldest first, then each new line that the pipeline lets through', async () => {
  await write('first', 'one', 'two', 'three');
  const stream = await follow('{resource_id="first"} !~ "skip" | label_format seen="yes"', { limit: '2' });
  expect(lines(stream)).toEqual(['two', 'three']);
  await write('first', 'skip this', 'four');
  await write('elsewhere', 'not ours');
  await write('first', 'five');
  await until(() => expect(lines(stream)).toEqual(['two', 'three', 'four', 'five']));
  const [found] = (JSON.parse(stream.events.at(-1)?.data ?? '') as Lines).streams;
  expect(found?.stream).toEqual({ ...labels('first'), project: acme.id, seen: 'yes' });
  expect(found?.values[0]?.[0]).toMatch(/^\d{19}$/);
});

test('a stream that begins later has its lines followed too, and limit=0 gives new lines only', async () => {
  await write('before', 'old');
  const stream = await follow('{resource_id=~"before|begun"}', { limit: '0' });
  await write('begun', 'new');
  await until(() => expect(lines(stream)).toEqual(['new']));
});

test('no line is lost or repeated between the first lines and the new ones, however writers and merges interleave', async () => {
  const texts = Array.from({ length: 120 }, (_, index) => `busy ${index}`);
  const writing = Promise.all(
    Array.from({ length: 6 }, async (_, writer) => {
      for (const [index, text] of texts.entries()) if (index % 6 === writer) await write(`busy-${writer}`, text);
    }),
  );
  const opened: Heard[] = [];
  for (let index = 0; index < 8; index += 1) {
    opened.push(await follow('{resource_id=~"busy-.*"}', { limit: '5000' }));
    await mergeChunks(new AbortController().signal);
  }
  await writing;
  for (const stream of opened) {
    await until(() => expect(lines(stream)).toHaveLength(texts.length));
    expect(lines(stream).toSorted()).toEqual(texts.toSorted());
  }
});

test('a client that comes back with its last id gets exactly the lines that it missed', async () => {
  const first = await follow('{resource_id="back"}', { limit: '0' });
  await write('back', 'seen');
  await until(() => expect(lines(first)).toEqual(['seen']));
  await first.close();
  await write('back', 'missed 1');
  await write('back', 'missed 2');
  const second = await follow('{resource_id="back"}', {}, undefined, lastId(first));
  await write('back', 'new');
  await until(() => expect(lines(second)).toEqual(['missed 1', 'missed 2', 'new']));
  expect(second.events.map(({ name }) => name)).not.toContain('gap');
});

test('a client that comes back after more than a minute is told of a gap; any other id is no id', async () => {
  const first = await follow('{resource_id="back"}', { limit: '0' });
  const [at = '', ...rest] = lastId(first).split('-');
  const old = [Number(at) - 61_000, ...rest].join('-');
  const late = await follow('{resource_id="back"}', {}, undefined, old);
  expect(late.events[0]).toMatchObject({ name: 'gap', data: '{"lines":null}' });
  for (const id of ['x', '1-2', `${at}-99999999999999999999-`, `${at}-1-2.`]) {
    const stream = await follow('{resource_id="back"}', { limit: '1' }, undefined, id);
    expect([id, lines(stream)]).toEqual([id, ['new']]);
    await stream.close();
  }
});

test('a reader that is too slow is told how many lines it lost, and goes on', async () => {
  const response = await request({ query: '{resource_id="flood"}', limit: '0' });
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const text = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await text()).toContain('event: lines');
  const witness = await follow('{resource_id="witness"}', { limit: '0' });
  for (let round = 0; round < 3; round += 1) {
    await write('flood', ...Array.from({ length: 8000 }, (_, index) => `${round} ${index}`));
  }
  await write('witness', 'end');
  await until(() => expect(lines(witness)).toEqual(['end']));
  expect(await text()).toMatch(/^event: gap\ndata: \{"lines":24000\}\n\n/);
  await write('flood', 'after');
  expect(await text()).toContain('"after"');
  await reader.cancel();
});

test('a flood of lines that the query does not select makes it lose none, whenever it comes', async () => {
  const witness = await follow('{resource_id="dry"}', { limit: '0' });
  await Promise.all(
    [0, 1, 2].map((round) => write(`flood-${round}`, ...Array.from({ length: 8000 }, (_, index) => `${index}`))),
  );
  await write('dry', 'end');
  await until(() => expect(lines(witness)).toEqual(['end']));
  expect(witness.events.map(({ name }) => name)).not.toContain('gap');
});

test('nobody follows lines of another project, and only admins those of the audit log', async () => {
  const audit: StreamLabels = { service: 'audit', level: 'info', stream: 'audit' };
  const query = `{stream=~".+", project=~"${acme.id}|${other.id}"}`;
  const [admin, reader, stranger] = [
    await follow('{stream=~".+"}', { limit: '0' }, acme.users.admin.token),
    await follow('{stream=~".+"}', { limit: '0' }),
    await follow(query, {}, other.users.admin.token),
  ];
  await writeLogs([{ project_id: acme.id, labels: audit, at: new Date(), text: 'audited' }]);
  await write('end', 'end');
  await writeLogs([{ project_id: other.id, labels: labels('end'), at: new Date(), text: 'theirs' }]);
  await until(() => expect(lines(admin)).toEqual(['audited', 'end']));
  await until(() => expect(lines(reader)).toEqual(['end']));
  await until(() => expect(lines(stranger).at(-1)).toBe('theirs'));
  expect(lines(stranger)).not.toContain('end');
});

test.each([
  ['count_over_time({service="lb"}[1m])', 'Only a query for lines can be followed'],
  ['{service="lb"} | unpack', 'parse error at line 1, col 18'],
  ['{}', 'parse error at line 1, col 2'],
])('%s is refused', async (query, message) => {
  const response = await request({ query });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)]);
});

test('a project can follow its logs 20 times at once; the next one is told when to retry', async () => {
  const query = '{service="lb"}';
  for (let count = 0; count < 20; count += 1) await follow(query);
  const refused = await request({ query });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
  await follow(query, {}, other.users.reader.token);
});

test.each<[string, (id: string) => Promise<unknown>]>([
  [
    'session is revoked',
    (id) => execute(sql`UPDATE sessions SET revoked_at = platform_now() WHERE user_id = ${id}::uuid`),
  ],
  ['role changes', (id) => execute(sql`UPDATE role_assignments SET role = 'reader' WHERE user_id = ${id}::uuid`)],
  ['membership ends', (id) => execute(sql`DELETE FROM memberships WHERE user_id = ${id}::uuid`)],
])('a stream ends when its caller’s %s', async (_, end) => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const user = await createMember(other.id, 'admin');
  const stream = await follow('{service="audit"}', {}, user.token);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(stream.ended).toBe(false);
  await end(user.id);
  await vi.advanceTimersByTimeAsync(15_000);
  await until(() => expect(stream.ended).toBe(true));
});
