import { aggregate } from './aggregate';
import { combine, combineSets, operate, withScalar } from './combine';
import type { Labels } from './match';
import { ascending, bucketQuantile } from './statistics';
import { type Binary, type Call, type Expression, type Selector, setOperators } from './syntax';
import {
  ExecutionError,
  emptySeries,
  groupBy,
  mapValues,
  NAME,
  type Series,
  sameLabels,
  unique,
  without,
} from './vector';
import { overTime, type Window } from './window';

/** A stored series with its samples in a span of time, oldest first. Times are Unix milliseconds. */
export type StoredSeries = { labels: Labels } & Pick<Window, 'at' | 'values' | 'rolled'>;

/** Where samples come from: one project's, whatever a selector says. */
export type Samples = {
  select(selector: Selector, span: { from: number; to: number }): Promise<StoredSeries[]>;
  /** A sample is the value of a series for this long, unless a later one comes. */
  lookback_ms: number;
};

/** When a query is evaluated: at `start`, and every `step` up to `end`. */
export type Steps = { start: number; end: number; step: number };

export type Value =
  | { type: 'scalar'; values: Float64Array }
  | { type: 'string'; value: string }
  | { type: 'vector'; series: readonly Series[] };

/** Values that one part of a query may have: 1,000 series of 11,000 points. */
const MOST_CELLS = 11_000_000;
/** Other requests of the process wait no longer than this. */
const TURN_MS = 20;

/** The value of a query at each step. @param signal aborts it: the caller left, or the time is over */
export function evaluate(query: Expression, steps: Steps, samples: Samples, signal: AbortSignal): Promise<Value> {
  return new Evaluation(steps, samples, signal).value(query);
}

class Evaluation {
  private readonly times: readonly number[];
  private turnEnds = performance.now() + TURN_MS;

  constructor(
    { start, end, step }: Steps,
    private readonly samples: Samples,
    private readonly signal: AbortSignal,
  ) {
    this.times = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => start + index * step);
  }

  async value(expression: Expression): Promise<Value> {
    switch (expression.kind) {
      case 'number':
        return { type: 'scalar', values: new Float64Array(this.times.length).fill(expression.value) };
      case 'string':
        return { type: 'string', value: expression.value };
      case 'negation': {
        const of = await this.value(expression.of);
        if (of.type === 'scalar') return { type: 'scalar', values: of.values.map((value) => -value) };
        return { type: 'vector', series: mapValues(seriesOf(of), (value) => -value) };
      }
      case 'selector':
        return { type: 'vector', series: await this.instant(expression) };
      case 'binary':
        return this.binary(expression);
      case 'aggregation': {
        const parameter = expression.parameter ? await this.scalar(expression.parameter) : null;
        const of = await this.vector(expression.of);
        await this.turn(of.length);
        return { type: 'vector', series: aggregate(expression.op, expression.grouping, of, parameter) };
      }
      case 'call':
        return this.call(expression);
    }
  }

  private async vector(expression: Expression): Promise<readonly Series[]> {
    return seriesOf(await this.value(expression));
  }

  private async scalar(expression: Expression | undefined): Promise<Float64Array> {
    const value = expression && (await this.value(expression));
    if (value?.type !== 'scalar') throw new Error('the parser lets only scalars through here');
    return value.values;
  }

  /** Lets other work of the process go on. @throws when the query was aborted or has become too large */
  private async turn(series: number): Promise<void> {
    this.signal.throwIfAborted();
    if (series * this.times.length > MOST_CELLS) {
      throw new ExecutionError('query processing would load too many samples: select fewer series, or a longer step');
    }
    if (performance.now() < this.turnEnds) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.signal.throwIfAborted();
    this.turnEnds = performance.now() + TURN_MS;
  }

  private async instant(selector: Selector): Promise<Series[]> {
    const { lookback_ms } = this.samples;
    const found = await this.stored(selector, lookback_ms);
    const result: Series[] = [];
    for (const { labels, at, values } of found) {
      await this.turn(found.length);
      const series = emptySeries(labels, this.times.length);
      let next = 0;
      for (const [step, time] of this.times.entries()) {
        const moment = time - selector.offset_ms;
        while (next < at.length && (at[next] ?? 0) <= moment) next++;
        const last = at[next - 1];
        if (last === undefined || last < moment - lookback_ms) continue;
        series.values[step] = values[next - 1] ?? 0;
        series.present[step] = 1;
      }
      result.push(series);
    }
    return result;
  }

  private stored(selector: Selector, before_ms: number): Promise<StoredSeries[]> {
    const [first = 0, last = 0] = [this.times[0], this.times.at(-1)];
    const from = first - selector.offset_ms - before_ms;
    return this.samples.select(selector, { from, to: last - selector.offset_ms });
  }

  /** A function of the samples in a range before each step, both borders included. */
  private async ranged(name: string, selector: Selector, parameter: Float64Array | null): Promise<Series[]> {
    const of = overTime[name];
    if (!of) throw new Error(`no function ${name}`);
    const found = await this.stored(selector, selector.range_ms);
    const result: Series[] = [];
    for (const stored of found) {
      await this.turn(found.length);
      const keepsName = name === 'last_over_time';
      const series = emptySeries(keepsName ? stored.labels : without(stored.labels, [NAME]), this.times.length);
      let [first, next] = [0, 0];
      for (const [step, time] of this.times.entries()) {
        const to = time - selector.offset_ms;
        const from = to - selector.range_ms;
        while (next < stored.at.length && (stored.at[next] ?? 0) <= to) next++;
        while (first < next && (stored.at[first] ?? 0) < from) first++;
        if (first === next) continue;
        const value = of(windowOf(stored, first, next, from, to), parameter?.[step] ?? 0);
        if (value === undefined) continue;
        series.values[step] = value;
        series.present[step] = 1;
      }
      result.push(series);
    }
    if (groupBy(result, (labels) => labels).size < result.length) throw sameLabels();
    return result;
  }

  private async binary(expression: Binary): Promise<Value> {
    const { op } = expression;
    const left = await this.value(expression.left);
    const right = await this.value(expression.right);
    await this.turn(0);
    if (left.type === 'scalar' && right.type === 'scalar') {
      return { type: 'scalar', values: left.values.map((value, step) => operate(op, value, right.values[step] ?? 0)) };
    }
    return { type: 'vector', series: this.operated(expression, left, right) };
  }

  private operated(expression: Binary, left: Value, right: Value): Series[] {
    if (left.type === 'scalar') return unique(withScalar(expression, seriesOf(right), left.values, true));
    if (right.type === 'scalar') return unique(withScalar(expression, seriesOf(left), right.values, false));
    const sides = [seriesOf(left), seriesOf(right)] as const;
    return setOperators.has(expression.op) ? unique(combineSets(expression, ...sides)) : combine(expression, ...sides);
  }

  private async call({ name, args }: Call): Promise<Value> {
    const [first, second, third] = args;
    const range = args.find((arg) => arg.kind === 'selector' && arg.type === 'matrix');
    if (range?.kind === 'selector') {
      const parameter = first?.type === 'scalar' ? await this.scalar(first) : null;
      return { type: 'vector', series: await this.ranged(name, range, parameter) };
    }
    if (name === 'time') return { type: 'scalar', values: Float64Array.from(this.times, (time) => time / 1000) };
    if (name === 'vector') {
      const values = await this.scalar(first);
      return { type: 'vector', series: [{ labels: {}, values, present: new Uint8Array(values.length).fill(1) }] };
    }
    if (name === 'histogram_quantile') {
      const q = await this.scalar(first);
      return { type: 'vector', series: histogramQuantiles(q, second ? await this.vector(second) : []) };
    }
    const series = first ? await this.vector(first) : [];
    if (name === 'scalar') return { type: 'scalar', values: this.single(series) };
    if (name === 'sort') return { type: 'vector', series: sorted(series, ascending) };
    if (name === 'sort_desc') return { type: 'vector', series: sorted(series, (one, other) => ascending(other, one)) };
    const parameters = [second && (await this.scalar(second)), third && (await this.scalar(third))];
    return { type: 'vector', series: valueByValue(name, series, parameters[0], parameters[1]) };
  }

  /** The value of the only series at each step; NaN where there is none, or more than one. */
  private single(series: readonly Series[]): Float64Array {
    return Float64Array.from(this.times, (_, step) => {
      const [only, other] = series.filter(({ present }) => present[step] === 1);
      return only && !other ? (only.values[step] ?? Number.NaN) : Number.NaN;
    });
  }
}

function seriesOf(value: Value): readonly Series[] {
  if (value.type !== 'vector') throw new Error('the parser lets only vectors through here');
  return value.series;
}

function windowOf({ at, values, rolled }: StoredSeries, first: number, next: number, from: number, to: number): Window {
  const part = (numbers: readonly number[]) => numbers.slice(first, next);
  return {
    at: part(at),
    values: part(values),
    rolled: rolled && {
      samples: part(rolled.samples),
      means: part(rolled.means),
      lows: part(rolled.lows),
      highs: part(rolled.highs),
    },
    from,
    to,
  };
}

const numeric: Readonly<Record<string, (value: number) => number>> = {
  abs: Math.abs,
  ceil: Math.ceil,
  floor: Math.floor,
  sqrt: Math.sqrt,
  exp: Math.exp,
  ln: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  sgn: Math.sign,
};

/** Functions of single values. */
function valueByValue(
  name: string,
  series: readonly Series[],
  first: Float64Array | undefined,
  second: Float64Array | undefined,
): Series[] {
  const [one, other] = [(step: number) => first?.[step] ?? 1, (step: number) => second?.[step] ?? 0];
  switch (name) {
    case 'round':
      return mapValues(series, (value, step) => Math.floor(value * (1 / one(step)) + 0.5) / (1 / one(step)));
    case 'clamp_min':
      return mapValues(series, (value, step) => Math.max(value, one(step)));
    case 'clamp_max':
      return mapValues(series, (value, step) => Math.min(value, one(step)));
    case 'clamp':
      return mapValues(
        series.map((each) => ({
          ...each,
          present: each.present.map((there, step) => (one(step) > other(step) ? 0 : there)),
        })),
        (value, step) => Math.max(one(step), Math.min(other(step), value)),
      );
    default: {
      const of = numeric[name];
      if (!of) throw new Error(`no function ${name}`);
      return mapValues(series, of);
    }
  }
}

/** By their values at the last step: only an instant query has an order. */
function sorted(series: readonly Series[], order: (one: number, other: number) => number): Series[] {
  return series.toSorted((one, other) => order(one.values.at(-1) ?? 0, other.values.at(-1) ?? 0));
}

/** Quantiles of histograms, whose buckets are the series that differ in `le` alone. */
function histogramQuantiles(q: Float64Array, series: readonly Series[]): Series[] {
  const withBound = series.filter(({ labels }) => !Number.isNaN(boundOf(labels)));
  return [...groupBy(withBound, (labels) => without(labels, ['le', NAME])).values()].map(({ labels, members }) => {
    const result = emptySeries(labels, q.length);
    for (let step = 0; step < q.length; step++) {
      const buckets = members.flatMap((member) =>
        member.present[step] === 1 ? [{ upper: boundOf(member.labels), count: member.values[step] ?? 0 }] : [],
      );
      if (buckets.length === 0) continue;
      result.values[step] = bucketQuantile(q[step] ?? Number.NaN, buckets);
      result.present[step] = 1;
    }
    return result;
  });
}

function boundOf({ le = '' }: Labels): number {
  if (/^\+?inf$/i.test(le)) return Number.POSITIVE_INFINITY;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(le) ? Number(le) : Number.NaN;
}
