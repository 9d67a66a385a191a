import { type Labels, labelsKey } from '../labels';
import type { BinaryOp, Grouping, Matching, MetricExpr, VectorOp } from './ast';
import { QueryError } from './error';
import { isScalar } from './parse';
import { comparisons } from './pipeline';
import { regexOf } from './regex';

/** A series over the steps of a query; undefined where it has no value. */
export type Series = { labels: Labels; values: (number | undefined)[] };

/** A number for each step, or series. */
export type Value = { kind: 'scalar'; values: number[] } | { kind: 'series'; series: Series[] };

export const pick = (labels: Labels, { by, labels: names }: Grouping): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name) === by));

/** Items of the same key together, in the order of their first. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
export const mean = (values: readonly number[]) => sum(values) / values.length;
/** Of a whole population. */
export function variance(values: readonly number[]): number {
  const middle = mean(values);
  return sum(values.map((value) => (value - middle) ** 2)) / values.length;
}

const aggregates: Readonly<
  Record<Exclude<VectorOp, 'topk' | 'bottomk' | 'sort' | 'sort_desc'>, (values: number[]) => number>
> = {
  sum,
  avg: mean,
  min: (values) => values.reduce((least, value) => (value < least || Number.isNaN(least) ? value : least)),
  max: (values) => values.reduce((most, value) => (value > most || Number.isNaN(most) ? value : most)),
  count: (values) => values.length,
  stddev: (values) => Math.sqrt(variance(values)),
  stdvar: variance,
};

/** One number for the series of each group, or the series of each group that are the largest or smallest. */
export function aggregate(
  expr: Extract<MetricExpr, { kind: 'vector' }>,
  series: readonly Series[],
  steps: number,
): Series[] {
  const { op, grouping = { by: true, labels: [] }, parameter = 1 } = expr;
  if (op === 'sort' || op === 'sort_desc') return sorted(series, op === 'sort_desc');
  const groups = [...grouped(series, ({ labels }) => labelsKey(pick(labels, grouping))).values()];
  if (op === 'topk' || op === 'bottomk') {
    return groups.flatMap((group) => extremes(group, parameter, op === 'topk', steps));
  }
  const reduce = aggregates[op];
  return groups.map((group) => ({
    labels: pick(group[0]?.labels ?? {}, grouping),
    values: Array.from({ length: steps }, (_, step) => {
      const present = group.flatMap(({ values }) => values[step] ?? []);
      return present.length > 0 ? reduce(present) : undefined;
    }),
  }));
}

/** By the last value; those without one come last. */
function sorted(series: readonly Series[], descending: boolean): Series[] {
  const last = ({ values }: Series) => values.at(-1) ?? Number.NaN;
  return series.toSorted((one, other) => byValue(last(one), last(other), descending));
}

function byValue(one: number, other: number, descending: boolean): number {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  return descending ? other - one : one - other;
}

/** At each step the `count` series of a group with the largest, or smallest, values. */
function extremes(group: readonly Series[], count: number, largest: boolean, steps: number): Series[] {
  const kept = group.map(({ labels }): Series => ({ labels, values: Array.from({ length: steps }) }));
  for (let step = 0; step < steps; step += 1) {
    const present = group.flatMap(({ values }, index) => {
      const value = values[step];
      return value === undefined ? [] : [{ index, value }];
    });
    present.sort((one, other) => byValue(one.value, other.value, largest));
    for (const { index, value } of present.slice(0, count)) {
      const series = kept[index];
      if (series) series.values[step] = value;
    }
  }
  const some = kept.filter(({ values }) => values.some((value) => value !== undefined));
  return steps === 1 ? sorted(some, largest) : some;
}

const arithmetic: Readonly<Record<string, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  // As in Loki, where Prometheus has infinity.
  '/': (one, other) => (other === 0 ? Number.NaN : one / other),
  '%': (one, other) => (other === 0 ? Number.NaN : one % other),
  '^': (one, other) => one ** other,
};

/** The value of an operation; undefined where a comparison that filters does not hold. `kept` is what passes it. */
function calculate(op: BinaryOp, bool: boolean, one: number, other: number, kept: number): number | undefined {
  const comparison =
    op === '==' || op === '!=' || op === '>' || op === '>=' || op === '<' || op === '<=' ? comparisons[op] : undefined;
  if (!comparison) return arithmetic[op]?.(one, other);
  const holds = comparison(one, other);
  if (bool) return Number(holds);
  return holds ? kept : undefined;
}

/** An operation on two sides (Loki: binary operators). @throws QueryError where series do not pair one to one */
export function operate(expr: Extract<MetricExpr, { kind: 'binary' }>, left: Value, right: Value): Value {
  const { op, matching } = expr;
  const bool = expr.bool || (isScalar(expr.left) && isScalar(expr.right));
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    const values = left.values.map((one, step) => calculate(op, bool, one, right.values[step] ?? 0, one) ?? Number.NaN);
    return { kind: 'scalar', values };
  }
  if (left.kind === 'scalar' || right.kind === 'scalar')
    return { kind: 'series', series: withNumber(op, bool, left, right) };
  if (op === 'and' || op === 'or' || op === 'unless') {
    return { kind: 'series', series: combine(op, matching, left.series, right.series) };
  }
  return { kind: 'series', series: pairUp(op, bool, matching, left.series, right.series) };
}

/** Whatever is neither a comparison nor arithmetic between a number and series was refused when the query was read. */
function withNumber(op: BinaryOp, bool: boolean, left: Value, right: Value): Series[] {
  const series = left.kind === 'series' ? left.series : right.kind === 'series' ? right.series : [];
  const numbers = left.kind === 'scalar' ? left.values : right.kind === 'scalar' ? right.values : [];
  const numberFirst = left.kind === 'scalar';
  return some(
    series.map(({ labels, values }) => ({
      labels,
      values: values.map((value, step) => {
        const number = numbers[step] ?? Number.NaN;
        if (value === undefined) return undefined;
        return numberFirst ? calculate(op, bool, number, value, value) : calculate(op, bool, value, number, value);
      }),
    })),
  );
}

const some = (series: readonly Series[]) => series.filter(({ values }) => values.some((value) => value !== undefined));

const pairing = (matching: Matching | undefined): Grouping =>
  matching ? { by: matching.on, labels: matching.labels } : { by: false, labels: [] };

function combine(
  op: 'and' | 'or' | 'unless',
  matching: Matching | undefined,
  left: readonly Series[],
  right: readonly Series[],
): Series[] {
  const keyOf = ({ labels }: Series) => labelsKey(pick(labels, pairing(matching)));
  const present = (sides: readonly Series[]) => {
    const groups = grouped(sides, keyOf);
    return (key: string, step: number) => (groups.get(key) ?? []).some(({ values }) => values[step] !== undefined);
  };
  const [inLeft, inRight] = [present(left), present(right)];
  const only = (series: readonly Series[], keep: (key: string, step: number) => boolean) =>
    series.map((one) => {
      const key = keyOf(one);
      return { ...one, values: one.values.map((value, step) => (keep(key, step) ? value : undefined)) };
    });
  if (op === 'and') return some(only(left, inRight));
  if (op === 'unless') return some(only(left, (key, step) => !inRight(key, step)));
  return merged([...left, ...some(only(right, (key, step) => !inLeft(key, step)))]);
}

/** Series with the same labels as one: at most one of them has a value at each step. */
function merged(series: readonly Series[]): Series[] {
  return [...grouped(series, ({ labels }) => labelsKey(labels)).values()].map((group) => ({
    labels: group[0]?.labels ?? {},
    values: (group[0]?.values ?? []).map(
      (_, step) => group.find(({ values }) => values[step] !== undefined)?.values[step],
    ),
  }));
}

function pairUp(
  op: BinaryOp,
  bool: boolean,
  matching: Matching | undefined,
  left: readonly Series[],
  right: readonly Series[],
): Series[] {
  const by = pairing(matching);
  const keyOf = ({ labels }: Series) => labelsKey(pick(labels, by));
  const others = grouped(right, keyOf);
  const comparesOnly = !bool && op in comparisons;
  const results = [...grouped(left, keyOf)].flatMap(([key, ones]) => {
    const group = others.get(key) ?? [];
    return group.length === 0 ? [] : onePair(ones, group).map(([one, other, step]) => ({ key, one, other, step }));
  });
  const steps = left[0]?.values.length ?? 0;
  const series = grouped(results, ({ key, one }) => `${key} ${comparesOnly || !matching ? labelsKey(one.labels) : ''}`);
  return some(
    [...series.values()].map((pairs) => {
      const values: (number | undefined)[] = Array.from({ length: steps });
      for (const { one, other, step } of pairs) {
        const [value, against] = [one.values[step], other.values[step]];
        if (value !== undefined && against !== undefined) values[step] = calculate(op, bool, value, against, value);
      }
      const labels = pairs[0]?.one.labels ?? {};
      return { labels: comparesOnly ? labels : pick(labels, by), values };
    }),
  );
}

/** The pairs of each step. @throws QueryError where a step has more than one series on a side */
function onePair(left: readonly Series[], right: readonly Series[]): [Series, Series, number][] {
  const steps = left[0]?.values.length ?? 0;
  return Array.from({ length: steps }).flatMap((_, step): [Series, Series, number][] => {
    const [ones, others] = [left, right].map((side) => side.filter(({ values }) => values[step] !== undefined));
    const [one, other] = [ones?.[0], others?.[0]];
    if (!one || !other) return [];
    if ((ones?.length ?? 0) > 1 || (others?.length ?? 0) > 1) {
      throw new QueryError(
        'several series on one side have the same labels to match by; name more labels with on()',
        0,
      );
    }
    return [[one, other, step]];
  });
}

/** `label_replace`: series whose source label matches get the target label. */
export function replaceLabel(
  expr: Extract<MetricExpr, { kind: 'label_replace' }>,
  series: readonly Series[],
): Series[] {
  const regex = regexOf(expr.pattern, true);
  return series.map(({ labels, values }) => {
    const value = regex.replaceWhole(labels[expr.source] ?? '', expr.replacement);
    if (value === undefined) return { labels, values };
    const { [expr.target]: _, ...others } = labels;
    return { labels: value === '' ? others : { ...others, [expr.target]: value }, values };
  });
}
