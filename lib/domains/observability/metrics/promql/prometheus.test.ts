import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { freePort } from '@/lib/testing/loopback';
import { answers, corpus, corpusSamples, START_S } from '@/lib/testing/promql-corpus';
import { evaluate } from './evaluate';
import { parsePromql } from './parse';
import { keyOf } from './vector';

const never = new AbortController().signal;
const hasPrometheus =
  spawnSync('prometheus', ['--version']).status === 0 && spawnSync('promtool', ['--version']).status === 0;

/** Queries whose answers are irregular, beside those that are worked out by hand. */
const queries = [
  ...answers.map(([query]) => query).filter((query) => !query.startsWith('topk') && query !== '"text"'),
  'wild',
  'wild offset 37s',
  'rate(wild[1m])',
  'rate(wild[47s])',
  'increase(wild[2m] offset 13s)',
  'irate(wild[1m])',
  'delta(wild[90s])',
  'idelta(wild[1m])',
  'resets(wild[5m])',
  'changes(wild[5m])',
  'avg_over_time(wild[100s])',
  'quantile_over_time(0.9, wild[3m])',
  'stddev_over_time(wild[3m])',
  'sum(rate(requests[50s])) by (node) > 0.5',
  'wild % 7 ^ 2 / 3',
  'wild > bool on (node) memory',
  'wild <= 50 or memory',
  'memory{node="c"} ^ 0.5 - wild{node="a"} * 2',
  'ignoring_nothing or wild - on (node) group_left memory',
  'histogram_quantile(scalar(memory{node="c"}) / 40, latency_bucket)',
  'quantile(0.3, wild)',
  'round(wild / 3, 0.1)',
  'sort_desc(memory)',
  'sgn(wild - 50)',
  'ln(wild) + log2(wild) + log10(wild) + exp(wild / 100)',
  'present_over_time(wild[20s])',
];

const matrix = z.object({
  data: z.object({
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), values: z.array(z.tuple([z.number(), z.string()])) }),
    ),
  }),
});

describe.skipIf(!hasPrometheus)('the real Prometheus (skipped where its Debian package is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nephele-prometheus-'));
  let server: ChildProcess;
  let base: string;

  beforeAll(async () => {
    writeFileSync(join(folder, 'samples'), `${corpus.flatMap(openMetrics).join('\n')}\n# EOF\n`);
    const loaded = spawnSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', 'samples', 'data'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(loaded.stderr).toBe('');
    writeFileSync(join(folder, 'prometheus.yml'), '');
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const settings = [
      `--web.listen-address=127.0.0.1:${port}`,
      '--storage.tsdb.path=data',
      '--storage.tsdb.retention.time=100y',
    ];
    server = spawn('prometheus', ['--config.file=prometheus.yml', ...settings], { cwd: folder, stdio: 'ignore' });
    await vi.waitFor(async () => expect((await fetch(`${base}/-/ready`)).status).toBe(200), { timeout: 60_000 });
  });
  afterAll(() => {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(queries)('answers %s the same', async (query) => {
    // Steps that fall between samples, and beyond their end.
    const [start, end, step] = [START_S - 7, START_S + 1000, 23];
    const range = new URLSearchParams({ query, start: String(start), end: String(end), step: String(step) });
    const response = await fetch(`${base}/api/v1/query_range?${range}`);
    const body = await response.text();
    expect(response.status, body).toBe(200);
    const theirs = new Map(
      matrix.parse(JSON.parse(body)).data.result.map(({ metric, values }) => [keyOf(metric), values]),
    );
    const value = await evaluate(
      parsePromql(query),
      { start: start * 1000, end: end * 1000, step: step * 1000 },
      corpusSamples,
      never,
    );
    const ours =
      value.type === 'vector'
        ? value.series
        : value.type === 'scalar'
          ? [{ labels: {}, values: value.values, present: value.values.map(() => 1) }]
          : [];
    const points = ours.flatMap(({ labels, values, present }) => {
      const kept = [...values].flatMap((one, index) =>
        present[index] === 1 ? [[start + index * step, one] as const] : [],
      );
      return kept.length === 0 ? [] : [[keyOf(labels), kept] as const];
    });
    expect(points.map(([key]) => key).toSorted()).toEqual([...theirs.keys()].toSorted());
    for (const [key, kept] of points) {
      const expected = (theirs.get(key) ?? []).map(([time, text]) => [time, Number(text.replace('Inf', 'Infinity'))]);
      expect(
        kept.map(([time]) => time),
        key,
      ).toEqual(expected.map(([time]) => time));
      for (const [index, [time, one]] of kept.entries()) {
        const other = expected[index]?.[1] ?? Number.NaN;
        const same = Object.is(one, other) || Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other));
        expect(same, `${key} at ${time}: ${one}, and Prometheus says ${other}`).toBe(true);
      }
    }
  });
});

function openMetrics({ labels: { __name__, ...labels }, at, values }: (typeof corpus)[number]): string[] {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return values.map((value, index) => `${__name__}{${written.join(',')}} ${value} ${(at[index] ?? 0) / 1000}`);
}
