import type { Labels } from './match';
import { comparisons, type Matching } from './syntax';
import { ExecutionError, emptySeries, groupBy, keyOf, NAME, only, type Series, without } from './vector';

/** What an operator makes of two numbers; a comparison keeps or drops its left side. */
export function operate(op: string, left: number, right: number): number {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '^':
      return power(left, right);
    default:
      return compares(op, left, right) ? 1 : 0;
  }
}

/** As in IEEE 754, where 1 to any power is 1: JavaScript says NaN for 1 to the power of NaN or infinity. */
function power(base: number, exponent: number): number {
  if (base === 1) return 1;
  return base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY ? 1 : base ** exponent;
}

function compares(op: string, left: number, right: number): boolean {
  switch (op) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      throw new Error(`no operator ${op}`);
  }
}

type Operation = { op: string; bool: boolean; matching: Matching };

/** An operation between each series and a scalar. A comparison keeps the vector's values, whichever side it is on. */
export function withScalar(
  { op, bool }: Operation,
  series: readonly Series[],
  scalar: Float64Array,
  scalarIsLeft: boolean,
): Series[] {
  const filters = comparisons.has(op) && !bool;
  return series.map(({ labels, values, present }) => {
    const result = emptySeries(filters ? labels : without(labels, [NAME]), values.length);
    for (let step = 0; step < values.length; step++) {
      if (present[step] !== 1) continue;
      const [value, other] = [values[step] ?? 0, scalar[step] ?? 0];
      const outcome = scalarIsLeft ? operate(op, other, value) : operate(op, value, other);
      if (filters && outcome === 0) continue;
      result.values[step] = filters ? value : outcome;
      result.present[step] = 1;
    }
    return result;
  });
}

const signatureOf =
  ({ on, labels: names }: Matching) =>
  (labels: Labels) =>
    on ? only(labels, names) : without(labels, [...names, NAME]);

/** `and`, `or`, `unless`: series of the sides, by whether the other side has one that matches. */
export function combineSets({ op, matching }: Operation, left: readonly Series[], right: readonly Series[]): Series[] {
  const signature = signatureOf(matching);
  const keep = (series: Series, others: readonly Series[] | undefined, wanted: boolean): Series => ({
    ...series,
    present: series.present.map((there, step) =>
      there === 1 && (others ?? []).some(({ present }) => present[step] === 1) === wanted ? 1 : 0,
    ),
  });
  const against = (series: readonly Series[], other: readonly Series[], wanted: boolean) => {
    const groups = groupBy(other, signature);
    return series.map((one) => keep(one, groups.get(keyOf(signature(one.labels)))?.members, wanted));
  };
  return op === 'or' ? [...left, ...against(right, left, false)] : against(left, right, op === 'and');
}

/** An operation between the series of two vectors that match, step by step, by the rules of Prometheus. */
export function combine(operation: Operation, left: readonly Series[], right: readonly Series[]): Series[] {
  const { matching } = operation;
  const swapped = matching.many === 'right';
  const [many, one] = swapped ? [right, left] : [left, right];
  const signature = signatureOf(matching);
  const ones = groupBy(one, signature);
  const steps = many[0]?.values.length ?? 0;
  const results = new Map<string, Series>();
  for (const [key, { members }] of groupBy(many, signature)) {
    const partners = ones.get(key)?.members ?? [];
    for (let step = 0; step < steps; step++) {
      combineStep(operation, step, { members, partners, swapped }, results);
    }
  }
  // Prometheus refuses an ambiguous side even where nothing matches it, unless the other side is empty.
  for (let step = 0; step < steps; step++) {
    if (!many.some(({ present }) => present[step] === 1)) continue;
    for (const { members } of ones.values()) single(members, step, swapped ? 'left' : 'right');
  }
  return [...results.values()];
}

function single(members: readonly Series[], step: number, side: 'left' | 'right'): Series | undefined {
  const [first, second] = members.filter(({ present }) => present[step] === 1);
  if (first && second) {
    throw new ExecutionError(
      `found duplicate series for the match group on the ${side} hand-side of the operation: [${keyOf(second.labels)}, ` +
        `${keyOf(first.labels)}]; many-to-many matching not allowed: matching labels must be unique on one side`,
    );
  }
  return first;
}

function combineStep(
  { op, bool, matching }: Operation,
  step: number,
  { members, partners, swapped }: { members: readonly Series[]; partners: readonly Series[]; swapped: boolean },
  results: Map<string, Series>,
): void {
  const partner = single(partners, step, swapped ? 'left' : 'right');
  if (!partner) return;
  let matched = false;
  for (const member of members) {
    if (member.present[step] !== 1) continue;
    const [mine, theirs] = [member.values[step] ?? 0, partner.values[step] ?? 0];
    const outcome = swapped ? operate(op, theirs, mine) : operate(op, mine, theirs);
    const filters = comparisons.has(op) && !bool;
    if (filters && outcome === 0) continue;
    if (matched && matching.many === null) {
      throw new ExecutionError(
        'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)',
      );
    }
    matched = true;
    const labels = resultLabels(member.labels, partner.labels, matching, filters);
    const key = keyOf(labels);
    const result = results.get(key) ?? emptySeries(labels, member.values.length);
    if (result.present[step] === 1) {
      throw new ExecutionError(
        matching.many === null
          ? 'vector cannot contain metrics with the same labelset'
          : 'multiple matches for labels: grouping labels must ensure unique matches',
      );
    }
    results.set(key, result);
    // A comparison keeps the left side.
    result.values[step] = filters ? (swapped ? theirs : mine) : outcome;
    result.present[step] = 1;
  }
}

function resultLabels(
  many: Labels,
  one: Labels,
  { on, labels, many: side, include }: Matching,
  keepsName: boolean,
): Labels {
  const named = keepsName ? many : without(many, [NAME]);
  const kept = side !== null ? named : on ? only(named, labels) : without(named, labels);
  const included = include.map((name): [string, string] => [name, one[name] ?? '']);
  const set = { ...kept, ...Object.fromEntries(included) };
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== ''));
}
