import type { RangeExpr } from './ast';
import { mean, type Turn, variance } from './vectors';

/** Values of a series by time. */
export type Samples = { times: number[]; values: number[] };

/** The function of a range aggregation for the values of one window; undefined for none. */
export function windowFunction({
  op,
  unwrap,
  range_us,
  parameter = 0,
}: RangeExpr): (values: readonly number[]) => number | undefined {
  const seconds = range_us / 1e6;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const reduce = {
    count_over_time: (values: readonly number[]) => values.length,
    rate: unwrap
      ? (values: readonly number[]) => sum(values) / seconds
      : (values: readonly number[]) => values.length / seconds,
    bytes_over_time: sum,
    bytes_rate: (values: readonly number[]) => sum(values) / seconds,
    avg_over_time: mean,
    sum_over_time: sum,
    min_over_time: (values: readonly number[]) => values.reduce((least, value) => Math.min(least, value)),
    max_over_time: (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value)),
    stddev_over_time: (values: readonly number[]) => Math.sqrt(variance(values)),
    stdvar_over_time: variance,
    quantile_over_time: (values: readonly number[]) => quantile(parameter, values),
    first_over_time: (values: readonly number[]) => values[0],
    last_over_time: (values: readonly number[]) => values.at(-1),
    absent_over_time: () => 1,
  }[op];
  return (values) => (values.length > 0 ? reduce(values) : undefined);
}

/** With linear interpolation between the two nearest, as Prometheus has it. */
function quantile(part: number, values: readonly number[]): number {
  if (part < 0) return -Infinity;
  if (part > 1) return Infinity;
  const ordered = values.toSorted((one, other) => one - other);
  const rank = part * (ordered.length - 1);
  const [below = 0, above = 0] = [ordered[Math.floor(rank)], ordered[Math.ceil(rank)]];
  return below + (above - below) * (rank - Math.floor(rank));
}

/** Evaluates windows (t − range, t] at each step, over samples that are sorted by time. */
export async function overSteps(
  { times, values }: Samples,
  steps: readonly number[],
  { range_us, offset_us }: RangeExpr,
  reduce: (values: readonly number[]) => number | undefined,
  turn: Turn,
): Promise<(number | undefined)[]> {
  let first = 0;
  let last = 0;
  const results: (number | undefined)[] = [];
  for (const step of steps) {
    const end = step - offset_us;
    while (last < times.length && (times[last] ?? 0) <= end) last += 1;
    while (first < last && (times[first] ?? 0) <= end - range_us) first += 1;
    results.push(reduce(values.slice(first, last)));
    // Windows overlap: over long ranges they hold far more values than the query has lines.
    const pause = turn(1 + last - first);
    if (pause) await pause;
  }
  return results;
}
