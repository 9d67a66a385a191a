import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { keepSamples } from '@/lib/core/devices/samples';
import { instanceSeries } from '@/lib/domains/compute/instance-metrics';
import { domains } from '@/lib/platform/domains';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { freePort } from '@/lib/testing/loopback';
import { idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { noPrometheus, skipped, startPrometheus } from '@/lib/testing/prometheus';
import {
  answers,
  comparedQueries,
  comparedSteps,
  corpus,
  expectAnswer,
  expectSameSeries,
  hostileQueries,
  nameOf,
  START_S,
  samplesIn,
  timesOf,
} from '@/lib/testing/promql-corpus';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { rangeData } from '../answer';
import { evaluate } from '../promql/evaluate';
import { parsePromql } from '../promql/parse';
import { without } from '../promql/vector';
import { askPrometheus } from './client';
import { pushSamples } from './push';
import { OutsideSeries } from './query';
import { remoteWrite } from './remote-write';

testDatabase();
const port = await freePort();
process.env.PROMETHEUS_URL = `http://127.0.0.1:${port}`;

const { signal } = new AbortController();
const prometheus = '/observability/prometheus/api/v1';
const CORPUS_PROJECT = '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f';
/** Ten minutes ago, in whole seconds. */
const start = Math.floor(Date.now() / 1000) * 1000 - 600_000;

describe.skipIf(noPrometheus)(`the real Prometheus${skipped}`, () => {
  const call = api();
  let server: Awaited<ReturnType<typeof startPrometheus>>;
  let acme: TestProject;
  let globex: TestProject;
  let web: string;
  let theirs: string;

  beforeAll(async () => {
    server = await startPrometheus(port);
    await createCell();
    useMemoryEngines();
    [acme, globex] = [await createProject('acme'), await createProject('globex')];
    [web, theirs] = [
      idOf(await launch(call, acme, { name: 'web' })),
      idOf(await launch(call, globex, { name: 'canary' })),
    ];
    // The corpus is older than all other samples, so it is written first.
    await write(corpusOf(CORPUS_PROJECT));
    await write(corpusOf(globex.id).map((one) => ({ ...one, values: one.values.map((value) => value + 1000) })));
  }, 120_000);
  afterAll(() => server?.stop());

  const corpusOf = (project: string) => corpus.map((one) => ({ ...one, labels: { ...one.labels, project } }));

  const write = (series: typeof corpus) =>
    askPrometheus('write', {
      body: remoteWrite(
        series.map(({ labels, at, values }) => ({
          labels,
          samples: at.map((time, index) => ({ at: time, value: values[index] ?? 0 })),
        })),
      ),
      headers: { 'Content-Type': 'application/x-protobuf', 'Content-Encoding': 'snappy' },
      signal,
    });

  test.each(comparedQueries)('answers %s as the own store does', async (query) => {
    const tree = parsePromql(query);
    const theirs = await new OutsideSeries(CORPUS_PROJECT, signal).range(tree, comparedSteps);
    const value = await evaluate(tree, comparedSteps, samplesIn(corpusOf(CORPUS_PROJECT)), signal);
    expectSameSeries(rangeData(value, timesOf(comparedSteps)).result, theirs.result);
  });

  test.each(answers)('answers %s as worked out by hand', async (query, answer) => {
    const found = await new OutsideSeries(CORPUS_PROJECT, signal).instant(parsePromql(query), (START_S + 600) * 1000);
    expectAnswer(shown(found), answer);
  });

  function shown(found: Awaited<ReturnType<OutsideSeries['instant']>>): unknown {
    if (found.resultType === 'string') return found.result[1];
    if (found.resultType === 'scalar') return Number(found.result[1]);
    const values = found.result.map(({ metric, value }) => [nameOf(without(metric, ['project'])), Number(value[1])]);
    return Object.fromEntries(values);
  }

  const sample = (project: TestProject, device_id: string, index: number) =>
    keepSamples(instanceSeries, [
      {
        project_id: project.id,
        device_id,
        at: new Date(start + index * 15_000),
        values: instanceSeries.map(({ type }) => (type === 'gauge' ? 64 + index : index * 15)),
      },
    ]);

  async function get(path: string, parameters: Record<string, string>, project = acme) {
    const answer = await call('GET', `${prometheus}/${path}?${new URLSearchParams(parameters)}`, {
      token: project.users.reader.token,
    });
    return { status: answer.status, body: answer.body as Record<string, unknown> };
  }
  const query = (promql: string, after = 600, project = acme) =>
    get('query', { query: promql, time: String(start / 1000 + after) }, project);

  /** All samples of the series that Prometheus has. */
  async function stored(selector: string): Promise<[time: number, value: string][]> {
    const body = new URLSearchParams({ query: `${selector}[1h]`, time: String(start / 1000 + 600) });
    const { data } = z
      .object({ data: z.object({ result: z.array(z.object({ values: z.array(z.tuple([z.number(), z.string()])) })) }) })
      .parse(JSON.parse(await askPrometheus('query', { body, signal })));
    return data.result.flatMap(({ values }) => values);
  }
  const memory = (count: number) =>
    Array.from({ length: count }, (_, index) => [start / 1000 + index * 15, String(64 + index)]);

  test('samples are sent once and in order, also if a worker is killed before it records what it has sent', async () => {
    for (let index = 0; index < 10; index += 1) {
      await sample(acme, web, index);
      await sample(globex, theirs, index);
    }
    await pushSamples(domains, signal);
    expect(await stored(`nephele_instance_memory_bytes{resource_id="${web}"}`)).toEqual(memory(10));
    // As a killed worker leaves it: Prometheus has the samples, and they are still queued.
    await execute(
      sql`INSERT INTO sample_pushes (device_id, shape_id, at) SELECT device_id, shape_id, at FROM device_samples`,
    );
    for (let index = 10; index < 20; index += 1) await sample(acme, web, index);
    await pushSamples(domains, signal);
    expect(await stored(`nephele_instance_memory_bytes{resource_id="${web}"}`)).toEqual(memory(20));
    const { queued } = await queryRow<{ queued: number }>(sql`SELECT count(*)::int AS queued FROM sample_pushes`);
    expect(queued).toBe(0);
  });

  test('a counter that restarts goes on growing', async () => {
    await sample(acme, web, 20);
    await keepSamples(instanceSeries, [
      { project_id: acme.id, device_id: web, at: new Date(start + 21 * 15_000), values: instanceSeries.map(() => 5) },
    ]);
    await pushSamples(domains, signal);
    const values = await stored(`nephele_instance_cpu_seconds{resource_id="${web}"}`);
    expect(values.slice(-2).map(([, value]) => value)).toEqual(['300', '305']);
  });

  test('the API answers from Prometheus', async () => {
    const metric = { project: acme.id, resource_id: web, resource_name: 'web', service: 'compute' };
    const { status, body } = await query('max_over_time(nephele_instance_cpu_seconds{resource_name="web"}[10m])');
    const result = [{ metric, value: [start / 1000 + 600, '305'] }];
    expect([status, body]).toEqual([200, { status: 'success', data: { resultType: 'vector', result } }]);
    await execute(sql`DELETE FROM device_samples`);
    expect((await query('max_over_time(nephele_instance_cpu_seconds{resource_name="web"}[10m])')).body).toEqual(body);
    const span = { query: 'sum(nephele_instance_memory_bytes)', start: String(start / 1000), step: '15' };
    const range = await get('query_range', { ...span, end: String(start / 1000 + 30) });
    expect(range.body.data).toEqual({ resultType: 'matrix', result: [{ metric: {}, values: memory(3) }] });
  });

  test('labels, their values and series are those of the project', async () => {
    const metric = { 'match[]': 'nephele_instance_memory_bytes' };
    expect((await get('labels', metric)).body.data).toEqual([
      '__name__',
      'project',
      'resource_id',
      'resource_name',
      'service',
    ]);
    expect((await get('label/resource_name/values', {})).body.data).toEqual(['web']);
    expect((await get('label/project/values', { 'match[]': '{project=~".+"}' })).body.data).toEqual([acme.id]);
    expect((await get('series', metric)).body.data).toEqual([
      {
        __name__: 'nephele_instance_memory_bytes',
        project: acme.id,
        resource_id: web,
        resource_name: 'web',
        service: 'compute',
      },
    ]);
  });

  test('no query reaches another project', async () => {
    expect(JSON.stringify((await query('nephele_instance_memory_bytes', 120, globex)).body)).toContain('canary');
    for (const promql of hostileQueries(globex.id, theirs, 'canary')) {
      const { status, body } = await query(promql, 120);
      expect([promql, status]).toEqual([promql, 200]);
      expect(JSON.stringify(body), promql).not.toMatch(new RegExp(`canary|${theirs}|${globex.id}`));
      const series = await get('series', { 'match[]': promql });
      expect(JSON.stringify(series.body), promql).not.toMatch(new RegExp(`canary|${theirs}`));
    }
  });

  test.each([
    ['query', { query: 'rate({service="compute"}[10m])', time: String(start / 1000 + 300) }, 422, 'same labelset'],
    ['query_range', { query: '"x"', start: '0', end: '1', step: '1' }, 400, 'for range query'],
    ['query', { query: 'sum(' }, 400, '1:5: parse error: unexpected end of input'],
  ])('%s %j is refused as the own store does', async (path, parameters, status, error) => {
    const answer = await get(path, parameters);
    const errorType = status === 400 ? 'bad_data' : 'execution';
    expect([answer.status, answer.body]).toEqual([
      status,
      { status: 'error', errorType, error: expect.stringContaining(error) },
    ]);
  });
});
