import type { Labels } from './match';
import { ascending, highest, lowest, quantile, sum, variance } from './statistics';
import type { Grouping } from './syntax';
import { emptySeries, groupBy, NAME, only, type Series, without } from './vector';

const reductions: Readonly<Record<string, (values: readonly number[], parameter: number) => number>> = {
  sum,
  avg: (values) => sum(values) / values.length,
  min: lowest,
  max: highest,
  count: (values) => values.length,
  group: () => 1,
  stddev: (values) => Math.sqrt(variance(values)),
  stdvar: variance,
  quantile: (values, q) => quantile(q, values),
};

/** Aggregates the series of each group, step by step. @param parameter of `topk`, `bottomk` and `quantile`, at each step */
export function aggregate(
  op: string,
  { without: leavesOut, labels: names }: Grouping,
  series: readonly Series[],
  parameter: Float64Array | null,
): Series[] {
  const labelsOf = (labels: Labels) => (leavesOut ? without(labels, [...names, NAME]) : only(labels, names));
  const groups = [...groupBy(series, labelsOf).values()];
  if (op === 'topk' || op === 'bottomk') return groups.flatMap(({ members }) => best(op, members, parameter));
  const reduce = reductions[op];
  if (!reduce) throw new Error(`no aggregation ${op}`);
  return groups.map(({ labels, members }) => {
    const result = emptySeries(labels, members[0]?.values.length ?? 0);
    for (let step = 0; step < result.values.length; step++) {
      const values = members.flatMap(({ values, present }) => (present[step] === 1 ? [values[step] ?? 0] : []));
      if (values.length === 0) continue;
      result.values[step] = reduce(values, parameter?.[step] ?? 0);
      result.present[step] = 1;
    }
    return result;
  });
}

/** The largest or smallest of each step, with their own labels, best first at the last step. NaN is never better than a number. */
function best(op: 'topk' | 'bottomk', members: readonly Series[], parameter: Float64Array | null): Series[] {
  const chosen = members.map(({ labels, values }) => ({ ...emptySeries(labels, values.length), values }));
  const steps = members[0]?.values.length ?? 0;
  const better = (step: number) => (one: Series, other: Series) => {
    const [a, b] = [one.values[step] ?? 0, other.values[step] ?? 0];
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    return op === 'topk' ? ascending(b, a) : ascending(a, b);
  };
  for (let step = 0; step < steps; step++) {
    const k = Math.trunc(parameter?.[step] ?? 0);
    if (!(k >= 1)) continue;
    const there = chosen.filter((_, index) => members[index]?.present[step] === 1);
    for (const series of there.toSorted(better(step)).slice(0, k)) series.present[step] = 1;
  }
  return chosen.toSorted(better(steps - 1));
}
