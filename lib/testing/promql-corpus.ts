import { expect } from 'vitest';
import type { Samples, Steps, StoredSeries } from '@/lib/domains/observability/metrics/promql/evaluate';
import { type Labels, testOfAll } from '@/lib/domains/observability/metrics/promql/match';
import { keyOf, without } from '@/lib/domains/observability/metrics/promql/vector';

/** The first moment of the corpus, in seconds: a full hour. */
export const START_S = 1_699_999_200;
export const STEP_S = 15;
const LAST = 40;

const series = (labels: Labels, value: (index: number) => number | undefined): StoredSeries => {
  const points = Array.from({ length: LAST + 1 }, (_, index) => ({
    at: (START_S + index * STEP_S) * 1000,
    value: value(index),
  }));
  const there = points.flatMap(({ at, value }) => (value === undefined ? [] : [{ at, value }]));
  return { labels, at: there.map(({ at }) => at), values: there.map(({ value }) => value), rolled: null };
};

/** Ten minutes of samples every 15 seconds, whose answers can be worked out by hand. */
export const corpus: readonly StoredSeries[] = [
  series({ __name__: 'requests', node: 'a', code: '200' }, (i) => 15 * i),
  series({ __name__: 'requests', node: 'a', code: '500' }, (i) => 3 * i),
  series({ __name__: 'requests', node: 'b', code: '200' }, (i) => 30 * i),
  series({ __name__: 'requests', node: 'b', code: '500' }, () => 0),
  // Restarts after 5 minutes.
  series({ __name__: 'restarting', node: 'a' }, (i) => (i < 20 ? 10 * i : 10 * (i - 20))),
  series({ __name__: 'memory', node: 'a' }, () => 100),
  series({ __name__: 'memory', node: 'b' }, () => 300),
  series({ __name__: 'memory', node: 'c' }, (i) => i),
  series({ __name__: 'capacity', node: 'a', zone: 'x' }, () => 1000),
  series({ __name__: 'capacity', node: 'b', zone: 'y' }, () => 600),
  // Ends after 4 minutes.
  series({ __name__: 'gone', node: 'a' }, (i) => (i <= 16 ? 7 : undefined)),
  series({ __name__: 'latency_bucket', le: '0.1' }, () => 20),
  series({ __name__: 'latency_bucket', le: '0.5' }, () => 60),
  series({ __name__: 'latency_bucket', le: '1' }, () => 90),
  series({ __name__: 'latency_bucket', le: '+Inf' }, () => 100),
  // Irregular, for comparison with Prometheus.
  series({ __name__: 'wild', node: 'a' }, (i) => (i % 7 === 3 ? undefined : (i * i * 37) % 101)),
  series({ __name__: 'wild', node: 'b' }, (i) => (i % 11 < 4 ? undefined : 1000 - ((i * 53) % 97))),
];

/** How far back Prometheus looks for the value of a series. */
export const LOOKBACK_MS = 300_000;

/** Series as a store. */
export const samplesIn = (stored: readonly StoredSeries[]): Samples => ({
  lookback_ms: LOOKBACK_MS,
  async select({ matchers }, { from, to }) {
    const matches = testOfAll(matchers);
    return stored
      .filter(({ labels }) => matches(labels))
      .map(({ labels, at, values }) => {
        const kept = at.flatMap((moment, index) => (moment >= from && moment <= to ? [index] : []));
        return {
          labels,
          at: kept.map((index) => at[index] ?? 0),
          values: kept.map((index) => values[index] ?? 0),
          rolled: null,
        };
      });
  },
});

export const corpusSamples = samplesIn(corpus);

/** Queries at 10 minutes, with answers worked out by hand from the corpus. */
export const answers: readonly [query: string, answer: unknown][] = [
  // Selectors
  ['memory', { 'memory{node=a}': 100, 'memory{node=b}': 300, 'memory{node=c}': 40 }],
  ['memory{node="a"}', { 'memory{node=a}': 100 }],
  ['memory{node!="a"}', { 'memory{node=b}': 300, 'memory{node=c}': 40 }],
  ['memory{node=~"a|b"}', { 'memory{node=a}': 100, 'memory{node=b}': 300 }],
  ['memory{node!~"[ab]"}', { 'memory{node=c}': 40 }],
  ['memory{node=~"b.+"}', {}],
  ['memory{zone=""}', { 'memory{node=a}': 100, 'memory{node=b}': 300, 'memory{node=c}': 40 }],
  ['{__name__="capacity",zone="x"}', { 'capacity{node=a,zone=x}': 1000 }],
  ['nothing', {}],
  ['gone', {}],
  ['gone offset 2m', { 'gone{node=a}': 7 }],
  ['memory{node="c"} offset 1m', { 'memory{node=c}': 36 }],
  ['memory{node="c"} offset -1m', { 'memory{node=c}': 40 }],
  // Counters: 5 samples in a minute, both borders included
  ['rate(requests{code="200"}[1m])', { '{code=200,node=a}': 1, '{code=200,node=b}': 2 }],
  ['increase(requests{node="a"}[2m])', { '{code=200,node=a}': 120, '{code=500,node=a}': 24 }],
  ['irate(requests{code="500"}[1m])', { '{code=500,node=a}': 0.2, '{code=500,node=b}': 0 }],
  ['rate(requests{node="a",code="200"}[1m] offset 5m)', { '{code=200,node=a}': 1 }],
  // 190 up to the restart, 200 after it
  ['increase(restarting[10m])', { '{node=a}': 390 }],
  ['resets(restarting[10m])', { '{node=a}': 1 }],
  ['changes(memory{node="c"}[1m])', { '{node=c}': 4 }],
  ['delta(memory{node="c"}[1m])', { '{node=c}': 4 }],
  ['idelta(memory{node="c"}[1m])', { '{node=c}': 1 }],
  ['rate(requests{node="a",code="200"}[10s])', {}],
  // Over time: 36, 37, 38, 39, 40
  ['avg_over_time(memory{node="c"}[1m])', { '{node=c}': 38 }],
  ['min_over_time(memory{node="c"}[1m])', { '{node=c}': 36 }],
  ['max_over_time(memory{node="c"}[1m])', { '{node=c}': 40 }],
  ['sum_over_time(memory{node="c"}[1m])', { '{node=c}': 190 }],
  ['count_over_time(memory{node="c"}[1m])', { '{node=c}': 5 }],
  ['last_over_time(memory{node="c"}[1m])', { 'memory{node=c}': 40 }],
  ['present_over_time(gone[10m])', { '{node=a}': 1 }],
  ['quantile_over_time(0.25, memory{node="c"}[1m])', { '{node=c}': 37 }],
  ['stdvar_over_time(memory{node="c"}[1m])', { '{node=c}': 2 }],
  // Aggregations of 100, 300, 40 and of 600, 120, 1200, 0
  ['sum(memory)', { '{}': 440 }],
  ['avg(capacity)', { '{}': 800 }],
  ['min(memory)', { '{}': 40 }],
  ['max(memory)', { '{}': 300 }],
  ['count(requests)', { '{}': 4 }],
  ['sum by (node) (requests)', { '{node=a}': 720, '{node=b}': 1200 }],
  ['sum without (node) (requests)', { '{code=200}': 1800, '{code=500}': 120 }],
  ['sum(requests) by (code)', { '{code=200}': 1800, '{code=500}': 120 }],
  ['topk(2, memory)', { 'memory{node=b}': 300, 'memory{node=a}': 100 }],
  ['bottomk(1, memory)', { 'memory{node=c}': 40 }],
  ['topk by (node) (1, requests)', { 'requests{code=200,node=a}': 600, 'requests{code=200,node=b}': 1200 }],
  ['quantile(0.5, memory)', { '{}': 100 }],
  ['quantile(0.75, memory)', { '{}': 200 }],
  ['stdvar(capacity)', { '{}': 40_000 }],
  ['sum(nothing)', {}],
  // Arithmetic
  ['1 + 2 * 3 ^ 2', 19],
  ['-2 ^ 2', -4],
  ['(-2) ^ 2', 4],
  ['7 % 4 - 10 / 4', 0.5],
  ['memory / 2', { '{node=a}': 50, '{node=b}': 150, '{node=c}': 20 }],
  ['-memory{node="a"}', { '{node=a}': -100 }],
  // Comparisons
  ['memory > 50', { 'memory{node=a}': 100, 'memory{node=b}': 300 }],
  ['200 > memory', { 'memory{node=a}': 100, 'memory{node=c}': 40 }],
  ['memory > bool 50', { '{node=a}': 1, '{node=b}': 1, '{node=c}': 0 }],
  ['2 >= bool 2', 1],
  // Matching
  ['memory / on (node) capacity', { '{node=a}': 0.1, '{node=b}': 0.5 }],
  ['memory / ignoring (zone) capacity', { '{node=a}': 0.1, '{node=b}': 0.5 }],
  [
    'requests / on (node) group_left (zone) capacity',
    {
      '{code=200,node=a,zone=x}': 0.6,
      '{code=500,node=a,zone=x}': 0.12,
      '{code=200,node=b,zone=y}': 2,
      '{code=500,node=b,zone=y}': 0,
    },
  ],
  ['capacity - on (node) group_right requests{code="200"}', { '{code=200,node=a}': 400, '{code=200,node=b}': -600 }],
  ['memory and on (node) capacity', { 'memory{node=a}': 100, 'memory{node=b}': 300 }],
  ['memory unless on (node) capacity', { 'memory{node=c}': 40 }],
  [
    'capacity or on (node) memory',
    { 'capacity{node=a,zone=x}': 1000, 'capacity{node=b,zone=y}': 600, 'memory{node=c}': 40 },
  ],
  ['memory == memory', { 'memory{node=a}': 100, 'memory{node=b}': 300, 'memory{node=c}': 40 }],
  // Histograms: 20 up to 0.1, 60 up to 0.5, 90 up to 1, 100 in all
  ['histogram_quantile(0.4, latency_bucket)', { '{}': 0.3 }],
  ['histogram_quantile(0.75, latency_bucket)', { '{}': 0.75 }],
  ['histogram_quantile(0.99, latency_bucket)', { '{}': 1 }],
  ['histogram_quantile(0.1, latency_bucket)', { '{}': 0.05 }],
  // The rest
  ['scalar(memory{node="a"}) + 1', 101],
  ['scalar(memory)', Number.NaN],
  ['vector(3)', { '{}': 3 }],
  ['time()', START_S + 600],
  ['round(memory{node="c"} / 7, 0.5)', { '{node=c}': 5.5 }],
  ['clamp(memory, 50, 200)', { '{node=a}': 100, '{node=b}': 200, '{node=c}': 50 }],
  ['"text"', 'text'],
  ['sum by (node) (rate(requests[1m])) / on (node) (memory > 50)', { '{node=a}': 0.012, '{node=b}': 2 / 300 }],
];

/** Queries that are compared with Prometheus: those above, and some with irregular answers. */
export const comparedQueries: readonly string[] = [
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

/** Steps that fall between samples, and beyond their end. */
export const comparedSteps: Steps = { start: (START_S - 7) * 1000, end: (START_S + 1000) * 1000, step: 23_000 };

export const timesOf = ({ start, end, step }: Steps) =>
  Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => start + index * step);

/** Queries of a project that try to reach another one: its id, the id of a resource in it, and that resource's name. */
export const hostileQueries = (project: string, resource: string, name: string): readonly string[] => [
  'nephele_instance_memory_bytes',
  '{project=~".+"}',
  '{__name__=~".+",project=~".*|.*"}',
  '{__name__=~".+",project!~"a^"}',
  `nephele_instance_memory_bytes{project="${project}"}`,
  `nephele_instance_memory_bytes{project!="${project}"} or nephele_instance_memory_bytes{project="${project}"}`,
  `nephele_instance_memory_bytes{resource_id="${resource}"}`,
  `nephele_instance_memory_bytes{resource_name="${name}"}`,
  `{resource_name="\\"} or {project=~\\".+\\"}",service="compute"} or {resource_name=~".+"}`,
  '{resource_name!="web",service="compute"} or {resource_id!=""}',
  'nephele_instance_memory_bytes offset -1d or nephele_instance_memory_bytes',
  'count by (project, resource_name) ({__name__=~".+"})',
  `count(nephele_instance_memory_bytes) or on () group({project="${project}"})`,
  'max by (resource_id) (max_over_time({__name__="nephele_instance_memory_bytes"}[1d]))',
];

/** A series in an answer of Prometheus' API, as `answers` writes it. */
export const nameOf = (labels: Labels) =>
  `${labels.__name__ ?? ''}{${Object.entries(without(labels, ['__name__']))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([label, value]) => `${label}=${value}`)
    .join(',')}}`;

/** Checks a value, or values by series, against an answer that was worked out by hand. */
export function expectAnswer(value: unknown, answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) {
    expect(value).toEqual(answer);
    return;
  }
  expect(Object.keys(Object(value)).toSorted()).toEqual(Object.keys(answer).toSorted());
  for (const [series, number] of Object.entries(answer))
    expect(value).toHaveProperty([series], expect.closeTo(number, 9));
}

type RangeSeries = { metric: Labels; values: readonly (readonly [time: number, value: string])[] };

const numberOf = (text: string) => Number(text.replace('Inf', 'Infinity'));

/** Compares answers to a range query: the same series and times, and the same values but for rounding. */
export function expectSameSeries(ours: readonly RangeSeries[], theirs: readonly RangeSeries[]): void {
  const expected = new Map(theirs.map(({ metric, values }) => [keyOf(metric), values]));
  expect(ours.map(({ metric }) => keyOf(metric)).toSorted()).toEqual([...expected.keys()].toSorted());
  for (const { metric, values } of ours) {
    const others = expected.get(keyOf(metric)) ?? [];
    expect(
      values.map(([time]) => time),
      keyOf(metric),
    ).toEqual(others.map(([time]) => time));
    for (const [index, [time, text]] of values.entries()) {
      const [one, other] = [numberOf(text), numberOf(others[index]?.[1] ?? 'NaN')];
      const same = Object.is(one, other) || Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other));
      expect(same, `${keyOf(metric)} at ${time}: ${one}, and Prometheus says ${other}`).toBe(true);
    }
  }
}
