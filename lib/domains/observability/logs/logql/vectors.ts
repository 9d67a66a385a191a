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

/**
 * Counts work, about one unit for each value that is read. @returns a promise if other requests must have their turn now
 * @throws to end a query
 */
export type Turn = (work: number) => Promise<void> | undefined;

/** Maps items of about the same size, in turn with other requests. */
async function mapInTurn<T, R>(
  items: readonly T[],
  turn: Turn,
  work: number,
  map: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    results.push(map(item, index));
    const pause = turn(work);
    if (pause) await pause;
  }
  return results;
}

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
export async function aggregate(
  expr: Extract<MetricExpr, { kind: 'vector' }>,
  series: readonly Series[],
  steps: number,
  turn: Turn,
): Promise<Series[]> {
  const { op, grouping = { by: true, labels: [] }, parameter = 1 } = expr;
  if (op === 'sort' || op === 'sort_desc') return sorted(series, op === 'sort_desc');
  const groups = [...grouped(series, ({ labels }) => labelsKey(pick(labels, grouping))).values()];
  if (op === 'topk' || op === 'bottomk') {
    const found: Series[] = [];
    for (const group of groups) found.push(...(await extremes(group, parameter, op === 'topk', steps, turn)));
    return found;
  }
  const reduce = aggregates[op];
  const results: Series[] = [];
  for (const group of groups) {
    const values = await mapInTurn(Array.from({ length: steps }), turn, group.length, (_, step) => {
      const present = group.flatMap((one) => one.values[step] ?? []);
      return present.length > 0 ? reduce(present) : undefined;
    });
    results.push({ labels: pick(group[0]?.labels ?? {}, grouping), values });
  }
  return results;
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
async function extremes(
  group: readonly Series[],
  count: number,
  largest: boolean,
  steps: number,
  turn: Turn,
): Promise<Series[]> {
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
    const pause = turn(group.length);
    if (pause) await pause;
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
export async function operate(
  expr: Extract<MetricExpr, { kind: 'binary' }>,
  left: Value,
  right: Value,
  turn: Turn,
): Promise<Value> {
  const { op, matching } = expr;
  const bool = expr.bool || (isScalar(expr.left) && isScalar(expr.right));
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    const values = left.values.map((one, step) => calculate(op, bool, one, right.values[step] ?? 0, one) ?? Number.NaN);
    await turn(values.length);
    return { kind: 'scalar', values };
  }
  if (left.kind === 'scalar' || right.kind === 'scalar')
    return { kind: 'series', series: await withNumber(op, bool, left, right, turn) };
  if (op === 'and' || op === 'or' || op === 'unless') {
    return { kind: 'series', series: await combine(op, matching, left.series, right.series, turn) };
  }
  return { kind: 'series', series: await pairUp({ op, bool, matching }, left.series, right.series, turn) };
}

/** Comparisons and arithmetic; other operations on a number and series were refused when the query was read. */
async function withNumber(op: BinaryOp, bool: boolean, left: Value, right: Value, turn: Turn): Promise<Series[]> {
  const series = left.kind === 'series' ? left.series : right.kind === 'series' ? right.series : [];
  const numbers = left.kind === 'scalar' ? left.values : right.kind === 'scalar' ? right.values : [];
  const numberFirst = left.kind === 'scalar';
  return some(
    await mapInTurn(series, turn, numbers.length, ({ labels, values }) => ({
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

async function combine(
  op: 'and' | 'or' | 'unless',
  matching: Matching | undefined,
  left: readonly Series[],
  right: readonly Series[],
  turn: Turn,
): Promise<Series[]> {
  const steps = left[0]?.values.length ?? right[0]?.values.length ?? 0;
  const keyOf = ({ labels }: Series) => labelsKey(pick(labels, pairing(matching)));
  /** By key: 1 at each step at which a side has a value. */
  const present = async (side: readonly Series[]) => {
    const found = new Map<string, Uint8Array>();
    await mapInTurn(side, turn, steps, (one) => {
      const key = keyOf(one);
      const at = found.get(key) ?? new Uint8Array(steps);
      found.set(key, at);
      for (const [step, value] of one.values.entries()) if (value !== undefined) at[step] = 1;
    });
    return found;
  };
  const only = async (series: readonly Series[], others: readonly Series[], isWanted: boolean) => {
    const inOthers = await present(others);
    const kept = await mapInTurn(series, turn, steps, (one) => {
      const at = inOthers.get(keyOf(one));
      const values = one.values.map((value, step) => ((at?.[step] === 1) === isWanted ? value : undefined));
      return { ...one, values };
    });
    return some(kept);
  };
  if (op !== 'or') return only(left, right, op === 'and');
  return merged([...left, ...(await only(right, left, false))], turn, steps);
}

/** Series with the same labels as one: at most one of them has a value at each step. */
async function merged(series: readonly Series[], turn: Turn, steps: number): Promise<Series[]> {
  return mapInTurn([...grouped(series, ({ labels }) => labelsKey(labels)).values()], turn, steps, (group) => ({
    labels: group[0]?.labels ?? {},
    values: (group[0]?.values ?? []).map(
      (_, step) => group.find(({ values }) => values[step] !== undefined)?.values[step],
    ),
  }));
}

type Pairing = { op: BinaryOp; bool: boolean; matching: Matching | undefined };

async function pairUp(
  pairs: Pairing,
  left: readonly Series[],
  right: readonly Series[],
  turn: Turn,
): Promise<Series[]> {
  const by = pairing(pairs.matching);
  const keyOf = ({ labels }: Series) => labelsKey(pick(labels, by));
  const others = grouped(right, keyOf);
  const results: Series[] = [];
  for (const [key, ones] of grouped(left, keyOf)) {
    results.push(...(await paired(pairs, ones, others.get(key) ?? [], turn)));
  }
  return some(results);
}

/** The results of series that have the same labels to match by. @throws QueryError where they do not pair one to one */
async function paired(
  { op, bool, matching }: Pairing,
  ones: readonly Series[],
  others: readonly Series[],
  turn: Turn,
): Promise<Series[]> {
  const comparesOnly = !bool && op in comparisons;
  const keyOf = new Map(ones.map((one) => [one, comparesOnly || !matching ? labelsKey(one.labels) : '']));
  const results = new Map<string, Series>();
  const steps = others[0]?.values.length ?? 0;
  for (let step = 0; step < steps; step += 1) {
    const pause = turn(ones.length + others.length);
    if (pause) await pause;
    const [left, right] = onePair(ones, others, step);
    if (!left || !right) continue;
    const key = keyOf.get(left.series) ?? '';
    const labels = comparesOnly ? left.series.labels : pick(left.series.labels, pairing(matching));
    const result = results.get(key) ?? { labels, values: Array.from({ length: steps }) };
    results.set(key, result);
    result.values[step] = calculate(op, bool, left.value, right.value, left.value);
  }
  return [...results.values()];
}

type Point = { series: Series; value: number };

/** The values of both sides at a step, if both have one. @throws QueryError where a side has several */
function onePair(ones: readonly Series[], others: readonly Series[], step: number): [Point, Point] | [] {
  const [left, right] = [pointsAt(ones, step), pointsAt(others, step)];
  if (!left[0] || !right[0]) return [];
  if (left.length > 1 || right.length > 1) {
    throw new QueryError('several series on one side have the same labels to match by; name more labels with on()', 0);
  }
  return [left[0], right[0]];
}

const pointsAt = (side: readonly Series[], step: number) =>
  side.flatMap((series): Point[] => {
    const value = series.values[step];
    return value === undefined ? [] : [{ series, value }];
  });

/** Matching a pattern takes about as long as reading so many values. */
const REPLACING = 50;

/** `label_replace`: series whose source label matches get the target label. */
export async function replaceLabel(
  expr: Extract<MetricExpr, { kind: 'label_replace' }>,
  series: readonly Series[],
  turn: Turn,
): Promise<Series[]> {
  const regex = regexOf(expr.pattern, true);
  return mapInTurn(series, turn, REPLACING, ({ labels, values }) => {
    const value = regex.replaceWhole(labels[expr.source] ?? '', expr.replacement);
    if (value === undefined) return { labels, values };
    const { [expr.target]: _, ...others } = labels;
    return { labels: value === '' ? others : { ...others, [expr.target]: value }, values };
  });
}
