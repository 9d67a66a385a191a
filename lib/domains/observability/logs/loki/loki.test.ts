import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { hasLoki, startLoki } from '@/lib/testing/loki';
import { freePort } from '@/lib/testing/loopback';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { CORPUS_START, hostileSelectors, SECRET, writeCorpus, writeSecret } from '../corpus';
import { formatQueries, metricQueries, operatorQueries, parserQueries, selectorQueries } from '../corpus-queries';
import { labelsKey } from '../labels';
import type { Value } from '../logql/vectors';
import { type FoundStream, type LogReader, ownReader, type Reader, readQuery } from '../query';
import { pushLines } from './push';
import { lokiReader } from './query';

testDatabase();
const port = await freePort();
process.env.LOKI_URL = `http://127.0.0.1:${port}`;

/**
 * Loki leaves out lines that its parsers do not need for a filter behind them: lines with an error, where its documentation
 * keeps them for filters of numbers, and lines without a label that `keep` or `drop` removes.
 */
const differing: readonly string[] = [
  '{service="database"} | json | req_id=7',
  '{service="database"} | json | dur>2',
  '{service="database"} | json id="req.id" | id=8',
  '{service="compute"} | logfmt | keep method | status=""',
  '{service="compute"} | logfmt | drop method, path | method=""',
];

const { signal } = new AbortController();
const at = (seconds: number) => (CORPUS_START + seconds * 1000) * 1000;
const loki = '/observability/loki/api/v1';

describe.skipIf(!hasLoki)('the real Loki (skipped where `loki` is not on PATH)', () => {
  const call = api();
  let server: Awaited<ReturnType<typeof startLoki>>;
  let project: TestProject;
  let victim: TestProject;
  let reader: Reader;

  beforeAll(async () => {
    server = await startLoki(port);
    [project, victim] = await Promise.all([createProject('outside'), createProject('victim')]);
    reader = { project_id: project.id, audit: true };
    // Lines of one project are stored before the first push, and those of the other after it.
    await writeCorpus(project.id);
    await pushAll();
    await writeSecret(victim.id);
    await pushAll();
    await server.flush();
    await vi.waitFor(async () => expect(await lineCount(lokiReader)).toBe(11), { timeout: 30_000, interval: 200 });
  }, 120_000);
  afterAll(() => server?.stop());

  /** The first run only marks where new lines begin to wait. */
  async function pushAll(): Promise<void> {
    await pushLines(signal);
    await pushLines(signal);
  }

  async function lines(store: LogReader, text: string): Promise<FoundStream[]> {
    const query = readQuery(text, reader);
    if (query.kind !== 'log') throw new Error('not a log query');
    const options = { span: { from_us: at(0), to_us: at(100) }, limit: 100, direction: 'forward', signal } as const;
    const { result } = await store.findLines(query, reader, options);
    return sorted(result.map(withoutDetails));
  }
  /** Each parser describes an error in its own words. */
  const withoutDetails = ({ labels, entries }: FoundStream) => {
    const { __error_details__: _, ...others } = labels;
    return { labels: others, entries };
  };
  const sorted = <T extends { labels: Readonly<Record<string, string>> }>(list: readonly T[]) =>
    list.toSorted((one, other) => (labelsKey(one.labels) < labelsKey(other.labels) ? -1 : 1));
  const lineCount = async (store: LogReader) =>
    (await lines(store, '{stream=~".+"}')).reduce((sum, { entries }) => sum + entries.length, 0);

  async function numbers(store: LogReader, text: string, steps: readonly number[]): Promise<Value> {
    const query = readQuery(text, reader);
    if (query.kind === 'log') throw new Error('not a metric query');
    const { result } = await store.evaluate(query, reader, { steps, signal });
    if (result.kind === 'scalar') return { ...result, values: result.values.map(rounded) };
    const series = result.series.map(({ labels, values }) => ({
      labels: { ...labels },
      values: values.map((value) => (value === undefined ? value : rounded(value))),
    }));
    return { kind: 'series', series: sorted(series) };
  }
  /** Sums of fractions differ in their last digits by their order. */
  const rounded = (value: number) => Number(value.toPrecision(12));

  const same = [...selectorQueries, ...parserQueries, ...formatQueries].filter(([query]) => !differing.includes(query));
  test.each(same)('answers %s like the own store', async (query) => {
    expect(await lines(lokiReader, query)).toEqual(await lines(ownReader, query));
  });

  test.each([...metricQueries, ...operatorQueries])('evaluates %s like the own store', async (query) => {
    const moment = [at(60)];
    expect(await numbers(lokiReader, query, moment)).toEqual(await numbers(ownReader, query, moment));
    // Steps that are no multiples of their distance.
    const steps = Array.from({ length: 12 }, (_, index) => at(1.003) + index * 7_001_000);
    expect(await numbers(lokiReader, query, steps)).toEqual(await numbers(ownReader, query, steps));
  });

  const get = (path: string, query: Record<string, string>, token = project.users.admin.token) => {
    const [start, end] = [`${at(0)}000`, `${at(100)}000`];
    return call('GET', `${path}?${new URLSearchParams({ start, end, ...query })}`, { token });
  };

  test('names, values and series are those of the own store', async () => {
    const names = await get(`${loki}/labels`, {});
    expect(names.body).toEqual({
      status: 'success',
      data: ['level', 'project', 'resource_id', 'resource_name', 'service', 'stream'],
    });
    const values = await get(`${loki}/label/service/values`, {});
    expect(values.body).toEqual({ status: 'success', data: ['audit', 'compute', 'database', 'lb'] });
    const span = { from_us: at(0), to_us: at(100) };
    const matchers = [[{ name: 'project', op: '=', value: project.id } as const]];
    const [ours, theirs] = await Promise.all(
      [ownReader, lokiReader].map((store) => store.streams(reader, matchers, span, signal)),
    );
    expect(theirs?.map(labelsKey).toSorted()).toEqual(ours?.map(labelsKey).toSorted());
  });

  test('lines of another project are out of reach of any query', async () => {
    for (const selector of [
      ...hostileSelectors(victim.id, project.id),
      '{service=~".+"} | drop service_name != "x"',
      '{service="compute"} | line_format "{{ .a | replace `\\"} or {project=~\\".+` `}}` }}"',
    ]) {
      const count = `sum by (project, resource_name) (count_over_time(${selector}[2m]))`;
      for (const answer of [
        await get('/observability/logs', { query: selector }),
        await get(`${loki}/query_range`, { query: count, step: '10' }),
        await get(`${loki}/query_range`, { query: `vector(0) or ${count}`, step: '10' }),
        await get(`${loki}/labels`, { query: selector }),
        await get(`${loki}/label/resource_name/values`, { query: selector }),
        await get(`${loki}/label/project/values`, { query: selector }),
        await get(`${loki}/series`, { match: selector }),
      ]) {
        expect([200, 400]).toContain(answer.status);
        if (answer.status === 200) expect(answer.text).not.toContain(SECRET);
        if (answer.status === 200) expect(answer.text).not.toContain(victim.id);
      }
    }
  });

  test.each(['member', 'reader'] as const)('audit lines do not exist for a %s', async (role) => {
    const { token } = project.users[role];
    for (const { status, text } of await Promise.all([
      get('/observability/logs', { query: '{service="audit"}' }, token),
      get('/observability/logs', { query: '{stream=~".+"}' }, token),
      get(
        `${loki}/query_range`,
        { query: 'sum by (service) (count_over_time({stream=~".+"}[5m]))', step: '60' },
        token,
      ),
      get(`${loki}/label/service/values`, {}, token),
      get(`${loki}/series`, { match: '{service=~"a.*"}' }, token),
    ])) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/audit|ann/);
    }
  });

  test('answers and refusals are those of our API', async () => {
    const answer = await get('/observability/logs', { query: '{service="lb"} | unpack' });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('parse error at line 1, col 18')]);
    const failed = await get(`${loki}/query_range`, {
      query: 'count_over_time({service="database"} | json [2m])',
      step: '10',
    });
    expect([failed.status, failed.text]).toEqual([400, expect.stringContaining("pipeline error: 'JSONParserErr'")]);
    const found = await get('/observability/logs', { query: '{service="lb"}', limit: '1' });
    expect(found.body).toMatchObject({
      status: 'success',
      data: {
        resultType: 'streams',
        result: [{ stream: { project: project.id }, values: [[`${at(61)}000`, expect.any(String)]] }],
      },
    });
  });

  test('lines that are pushed twice are there once', async () => {
    await execute(sql`INSERT INTO log_pushes (chunk_id, first_us) SELECT id, first_us FROM log_chunks`);
    await pushLines(signal);
    await server.flush();
    expect(await lineCount(lokiReader)).toBe(11);
    expect(await numbers(lokiReader, 'sum(count_over_time({stream=~".+"}[2m]))', [at(100)])).toMatchObject({
      series: [{ values: [11] }],
    });
  });
});
