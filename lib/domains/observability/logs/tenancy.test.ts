import { beforeAll, describe, expect, test, vi } from 'vitest';
import { pool, QUERY_CANCELED, queryWithin } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { CORPUS_START, hostileSelectors, SECRET, writeCorpus, writeSecret } from './corpus';
import { writeLogs } from './write';

testDatabase();

const call = api();
let victim: TestProject;
let other: TestProject;
beforeAll(async () => {
  [victim, other] = await Promise.all([createProject('victim'), createProject('other')]);
  await writeCorpus(other.id);
  await writeSecret(victim.id);
});

const start = String(CORPUS_START * 1_000_000);
const end = String((CORPUS_START + 100_000) * 1_000_000);
const loki = '/observability/loki/api/v1';

const get = (path: string, query: Record<string, string>, token = other.users.admin.token) =>
  call('GET', `${path}?${new URLSearchParams({ start, end, ...query })}`, { token });
const post = (path: string, query: Record<string, string>, token = other.users.admin.token) =>
  call('POST', path, {
    token,
    body: new URLSearchParams({ start, end, ...query }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });

describe('no query reaches the lines of another project', () => {
  const selectors = () => [
    ...hostileSelectors(victim.id, other.id),
    `{project=~"${other.id}|${victim.id}"}`,
    `{service=~".+"} | label_format project="${victim.id}"`,
    `{service="compute", project!~"x' OR '1'='1"}`,
  ];

  test('by any selector, through any endpoint, by GET or by form', async () => {
    for (const query of selectors()) {
      for (const answer of [
        await get('/observability/logs', { query }),
        await get(`${loki}/query_range`, { query }),
        await post(`${loki}/query_range`, { query }),
        await get(`${loki}/query_range`, {
          query: `sum by (project, resource_name) (count_over_time(${query}[2m]))`,
          step: '10',
        }),
        await get(`${loki}/labels`, { query }),
        await get(`${loki}/label/resource_name/values`, { query }),
        await get(`${loki}/label/project/values`, { query }),
        await get(`${loki}/series`, { match: query }),
        await post(`${loki}/series`, { 'match[]': query }),
      ]) {
        expect([200, 400]).toContain(answer.status);
        if (answer.status === 200) expect(answer.text).not.toContain(SECRET);
        // A label may be given any text, of one's own lines.
        if (answer.status === 200 && !query.includes('label_format')) expect(answer.text).not.toContain(victim.id);
      }
    }
  });

  test('by either side of an operation', async () => {
    const query = `sum by (resource_name) (count_over_time({service="lb"}[2m])) or sum by (resource_name) (count_over_time({project="${victim.id}"}[2m]))`;
    const answer = await get(`${loki}/query_range`, { query, step: '30' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('front');
    expect(answer.text).not.toContain(SECRET);
  });

  test('by any range of time, and a strange one is refused or empty', async () => {
    for (const range of [
      { start: '0', end: '9999999999999999999' },
      { start: '1970-01-01T00:00:00Z', end: '9999-12-31T23:59:59Z' },
      { start: '9999999999999999998', end: '9999999999999999999' },
      { start: '-1', end: '5' },
      { start: 'now', end: 'later' },
      { start: end, end: start },
    ]) {
      const answer = await get('/observability/logs', { query: '{service="compute"}', ...range });
      expect([200, 400]).toContain(answer.status);
      expect(answer.text).not.toContain(SECRET);
    }
  });

  test('and its own answer names its own project', async () => {
    const answer = await get('/observability/logs', { query: '{service="lb"}' });
    expect(answer.body).toMatchObject({
      status: 'success',
      data: { resultType: 'streams', result: [{ stream: { project: other.id } }] },
    });
  });
});

describe('lines of the audit log', () => {
  const audit = 'secret.create by ann';
  const anywhere = (token: string) =>
    Promise.all([
      get('/observability/logs', { query: '{service="audit"}' }, token),
      get('/observability/logs', { query: '{stream=~".+"}' }, token),
      get(
        `${loki}/query_range`,
        { query: 'sum by (service) (count_over_time({stream=~".+"}[5m]))', step: '60' },
        token,
      ),
      get(`${loki}/label/service/values`, {}, token),
      get(`${loki}/label/stream/values`, { query: '{service="audit"}' }, token),
      get(`${loki}/series`, { match: '{service=~"a.*"}' }, token),
    ]);

  test('are read by an admin', async () => {
    const texts = (await anywhere(other.users.admin.token)).map(({ text }) => text);
    expect(texts.filter((text) => !/audit/.test(text))).toEqual([]);
    expect(texts[0]).toContain(audit);
  });

  test.each(['member', 'reader'] as const)('do not exist for a %s', async (role) => {
    for (const { status, text } of await anywhere(other.users[role].token)) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/audit|ann/);
    }
  });
});

describe('a query cannot stall the platform', () => {
  test('by a pattern that backtracks', async () => {
    const text = `${'a'.repeat(60_000)}!`;
    const labels = {
      service: 'compute',
      resource_id: 'r9',
      resource_name: 'long',
      level: 'info',
      stream: 'stdout',
    } as const;
    const entries = Array.from({ length: 20 }, (_, index) => ({
      project_id: other.id,
      labels,
      at: new Date(CORPUS_START + index),
      text,
    }));
    await writeLogs(entries);
    for (const pattern of ['(a+)+$', '(a|aa)+$', '^(a|a?)+$', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      const answer = await get('/observability/logs', { query: `{resource_id="r9"} |~ "${pattern}"` });
      expect(answer.body).toMatchObject({ status: 'success', data: { result: [] } });
    }
  });

  test.each([
    [
      'too many points',
      { query: 'count_over_time({service="lb"}[1m])', step: '0.001' },
      'exceeded maximum resolution of 11,000 points',
    ],
    ['a step of nothing', { query: 'count_over_time({service="lb"}[1m])', step: '0' }, 'step'],
    ['a pattern that grows', { query: '{service=~"((a{1,999}){1,999}){1,999}"}' }, 'invalid regular expression'],
    ['deep parentheses', { query: `${'('.repeat(2000)}1${')'.repeat(2000)}` }, 'nested'],
    ['a long query', { query: `{service="lb"} ${'|= "a" '.repeat(900)}` }, 'at most 5120'],
    ['too many lines', { query: '{service="lb"}', limit: '5001' }, 'limit'],
  ])('by %s', async (_, query, message) => {
    const answer = await get(`${loki}/query_range`, query);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
  });

  test('by a statement that PostgreSQL takes too long for: it is ended, and the caller is told', async () => {
    const lock = await pool().connect();
    await lock.query('BEGIN; LOCK TABLE log_streams IN ACCESS EXCLUSIVE MODE');
    const begun = performance.now();
    await expect(queryWithin(50, sql`SELECT FROM log_streams`)).rejects.toMatchObject({ code: QUERY_CANCELED });
    expect(performance.now() - begun).toBeLessThan(5000);
    await lock.query('ROLLBACK');
    lock.release();
    expect(await queryWithin(50, sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  describe('by a metric query that reads few lines and computes many values', () => {
    const selector = '{resource_id="r8"} | logfmt';
    beforeAll(async () => {
      const labels = {
        service: 'compute',
        resource_id: 'r8',
        resource_name: 'many',
        level: 'info',
        stream: 'stdout',
      } as const;
      const entries = Array.from({ length: 1200 }, (_, index) => ({
        project_id: other.id,
        labels,
        at: new Date(CORPUS_START + index),
        text: `id=${index}`,
      }));
      await writeLogs(entries);
    });

    test('it ends when its time is over', async () => {
      const { now } = performance;
      let calls = 0;
      // Reading the lines asks for the time less than a hundred times.
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
        calls += 1;
        return now.call(performance) + calls * 100;
      });
      const query = `stddev_over_time(${selector} | unwrap id [1h]) by (stream)`;
      const answer = await get(`${loki}/query_range`, { query, step: '0.2' });
      clock.mockRestore();
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('took longer than 30 s')]);
    });

    test('it is refused if its values would fill the memory', async () => {
      const query = `count(count_over_time(${selector} [1s]))`;
      const answer = await get(`${loki}/query_range`, { query, step: '0.01' });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('values before they are aggregated')]);
    });
  });

  test('by hundreds of filters in one query', async () => {
    const answer = await get('/observability/logs', { query: `{service="lb"} ${'|= "GET" '.repeat(300)}` });
    expect(answer.status).toBe(200);
    const sum = `1${' + 1'.repeat(200)}`;
    const added = await call('GET', `${loki}/query?${new URLSearchParams({ query: sum })}`, {
      token: other.users.reader.token,
    });
    expect(added.body).toMatchObject({ data: { resultType: 'scalar', result: [expect.any(Number), '201'] } });
  });
});

describe('answers have the shape of Loki’s', () => {
  test('lines, newest first, with times in nanoseconds', async () => {
    const answer = await get('/observability/logs', { query: '{service="lb"}', limit: '2' });
    expect(answer.body).toMatchObject({
      status: 'success',
      data: {
        resultType: 'streams',
        result: [
          {
            stream: {
              service: 'lb',
              resource_id: 'r3',
              resource_name: 'front',
              level: 'info',
              stream: 'access',
              project: other.id,
            },
            values: [
              [`${CORPUS_START + 61_000}000000`, '10.0.0.1 - "GET /c HTTP/1.1" 500 1024'],
              [`${CORPUS_START + 2_000}000000`, '10.0.0.2 - "POST /b HTTP/1.1" 404 64'],
            ],
          },
        ],
        stats: { summary: { totalEntriesReturned: 2 } },
      },
    });
  });

  test('forward, from ISO times, before the end', async () => {
    const answer = await get('/observability/logs', {
      query: '{service="lb"}',
      direction: 'FORWARD',
      start: '2026-03-01T12:00:01Z',
      end: '2026-03-01T12:01:01Z',
    });
    const [stream] = (answer.body as { data: { result: { values: [string, string][] }[] } }).data.result;
    expect(stream?.values.map(([time]) => time.slice(0, -9))).toEqual(
      [CORPUS_START / 1000 + 1, CORPUS_START / 1000 + 2].map(String),
    );
  });

  test('a matrix at each step, both ends included', async () => {
    const answer = await get(`${loki}/query_range`, {
      query: 'sum(count_over_time({service="lb"}[30s]))',
      start: '2026-03-01T12:00:00Z',
      end: '2026-03-01T12:01:30Z',
      step: '30s',
    });
    const t = CORPUS_START / 1000;
    expect(answer.body).toMatchObject({
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: {},
            values: [
              [t + 30, '2'],
              [t + 90, '1'],
            ],
          },
        ],
      },
    });
  });

  test('a vector at one moment', async () => {
    const query = { query: 'sum by (level) (count_over_time({service="lb"}[1m]))', time: '2026-03-01T12:01:00Z' };
    const answer = await call('GET', `${loki}/query?${new URLSearchParams(query)}`, {
      token: other.users.reader.token,
    });
    expect(answer.body).toMatchObject({
      data: { resultType: 'vector', result: [{ metric: { level: 'info' }, value: [CORPUS_START / 1000 + 60, '2'] }] },
    });
  });

  test('names, values and series', async () => {
    const names = await get(`${loki}/labels`, {});
    expect(names.body).toEqual({
      status: 'success',
      data: ['level', 'project', 'resource_id', 'resource_name', 'service', 'stream'],
    });
    const values = await get(`${loki}/label/service/values`, {});
    expect(values.body).toEqual({ status: 'success', data: ['audit', 'compute', 'database', 'lb'] });
    const series = await get(`${loki}/series`, { match: '{service="lb"}' });
    expect(series.body).toMatchObject({ data: [{ service: 'lb', resource_name: 'front' }] });
    const none = await get(`${loki}/labels`, { start: '2026-03-02T00:00:00Z', end: '2026-03-02T01:00:00Z' });
    expect(none.body).toEqual({ status: 'success', data: [] });
  });

  test('readers may ask, and no form leaves an audit entry', async () => {
    const before = await call('GET', '/audit', { token: other.users.admin.token });
    const answer = await post(`${loki}/query_range`, { query: '{service="lb"}' }, other.users.reader.token);
    expect(answer.status).toBe(200);
    expect((await call('GET', '/audit', { token: other.users.admin.token })).body).toEqual(before.body);
  });

  test('a query that is wrong is refused with its position', async () => {
    const answer = await get('/observability/logs', { query: '{service="lb"} | unpack' });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('parse error at line 1, col 18')]);
  });
});
