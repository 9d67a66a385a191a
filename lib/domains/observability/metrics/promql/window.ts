import { highest, lowest, quantile, sum, variance } from './statistics';

/** The samples of one series within a range, oldest first, and the range itself, in milliseconds. */
export type Window = {
  at: readonly number[];
  values: readonly number[];
  /** Of the samples that each roll-up stands for; null where `values` are the samples themselves. */
  rolled: {
    samples: readonly number[];
    means: readonly number[];
    lows: readonly number[];
    highs: readonly number[];
  } | null;
  from: number;
  to: number;
};

type OverTime = (window: Window, parameter: number) => number | undefined;

/** Functions of a range vector; undefined where the samples are too few. A window has at least one sample. */
export const overTime: Readonly<Record<string, OverTime>> = {
  rate: (window) => extrapolated(window, true, true),
  increase: (window) => extrapolated(window, true, false),
  delta: (window) => extrapolated(window, false, false),
  irate: (window) => lastTwo(window, true),
  idelta: (window) => lastTwo(window, false),
  changes: ({ values }) => pairs(values).filter(([one, other]) => one !== other && !bothNaN(one, other)).length,
  resets: ({ values }) => pairs(values).filter(([one, other]) => other < one).length,
  avg_over_time: (window) => total(window) / count(window),
  min_over_time: ({ values, rolled }) => lowest(rolled?.lows ?? values),
  max_over_time: ({ values, rolled }) => highest(rolled?.highs ?? values),
  sum_over_time: total,
  count_over_time: count,
  last_over_time: ({ values }) => values.at(-1),
  present_over_time: () => 1,
  stddev_over_time: ({ values }) => Math.sqrt(variance(values)),
  stdvar_over_time: ({ values }) => variance(values),
  quantile_over_time: ({ values }, q) => quantile(q, values),
};

function count({ values, rolled }: Window): number {
  return rolled ? sum(rolled.samples) : values.length;
}

function total({ values, rolled }: Window): number {
  return rolled ? sum(rolled.means.map((mean, index) => mean * (rolled.samples[index] ?? 0))) : sum(values);
}

const bothNaN = (one: number, other: number) => Number.isNaN(one) && Number.isNaN(other);

function pairs(values: readonly number[]): [number, number][] {
  return values.slice(1).map((value, index) => [values[index] ?? 0, value]);
}

/**
 * Growth between the first and the last sample, extended to the borders of the range where samples reach near them: the
 * rule of Prometheus 2, with the same order of its two limits.
 */
function extrapolated({ at, values, from, to }: Window, isCounter: boolean, isRate: boolean): number | undefined {
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  const [firstAt = 0, lastAt = 0] = [at[0], at.at(-1)];
  if (values.length < 2) return undefined;
  let growth = last - first;
  if (isCounter) for (const [one, other] of pairs(values)) if (other < one) growth += one;
  const sampled = (lastAt - firstAt) / 1000;
  const between = sampled / (values.length - 1);
  let toStart = (firstAt - from) / 1000;
  const toEnd = (to - lastAt) / 1000;
  // A counter cannot have been below zero.
  if (isCounter && growth > 0 && first >= 0) toStart = Math.min(toStart, sampled * (first / growth));
  const near = between * 1.1;
  const covered = sampled + (toStart < near ? toStart : between / 2) + (toEnd < near ? toEnd : between / 2);
  const extended = growth * (covered / sampled);
  return isRate ? extended / ((to - from) / 1000) : extended;
}

function lastTwo({ at, values }: Window, isRate: boolean): number | undefined {
  const [before, last] = values.slice(-2);
  const [beforeAt = 0, lastAt = 0] = at.slice(-2);
  if (before === undefined || last === undefined || lastAt === beforeAt) return undefined;
  if (!isRate) return last - before;
  return (last < before ? last : last - before) / ((lastAt - beforeAt) / 1000);
}
