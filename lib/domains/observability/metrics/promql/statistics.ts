/** The q-quantile with linear interpolation, as Prometheus computes it. NaN counts as the least value. */
export function quantile(q: number, values: readonly number[]): number {
  if (values.length === 0 || Number.isNaN(q)) return Number.NaN;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  if (q > 1) return Number.POSITIVE_INFINITY;
  const sorted = values.toSorted(ascending);
  const rank = q * (sorted.length - 1);
  const lower = Math.max(0, Math.floor(rank));
  const upper = Math.min(sorted.length - 1, lower + 1);
  const weight = rank - Math.floor(rank);
  return (sorted[lower] ?? 0) * (1 - weight) + (sorted[upper] ?? 0) * weight;
}

/** NaN first. */
export function ascending(one: number, other: number): number {
  if (Number.isNaN(one)) return Number.isNaN(other) ? 0 : -1;
  if (Number.isNaN(other)) return 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** NaN only where every value is. */
export const lowest = (values: readonly number[]): number =>
  values.reduce((least, value) => (value < least || Number.isNaN(least) ? value : least), Number.NaN);

export const highest = (values: readonly number[]): number =>
  values.reduce((most, value) => (value > most || Number.isNaN(most) ? value : most), Number.NaN);

/** Of the whole population. */
export function variance(values: readonly number[]): number {
  let mean = 0;
  let squares = 0;
  for (const [index, value] of values.entries()) {
    const difference = value - mean;
    mean += difference / (index + 1);
    squares += difference * (value - mean);
  }
  return squares / values.length;
}

export type Bucket = { upper: number; count: number };

/** The q-quantile of a histogram with cumulative buckets, as Prometheus computes it. */
export function bucketQuantile(q: number, given: readonly Bucket[]): number {
  if (Number.isNaN(q)) return Number.NaN;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  if (q > 1) return Number.POSITIVE_INFINITY;
  const buckets = cumulative(given);
  const last = buckets.at(-1);
  if (!last || last.upper !== Number.POSITIVE_INFINITY || buckets.length < 2 || last.count === 0) return Number.NaN;
  const rank = q * last.count;
  const found = buckets.slice(0, -1).findIndex(({ count }) => count >= rank);
  if (found === -1) return buckets.at(-2)?.upper ?? Number.NaN;
  const { upper, count } = buckets[found] ?? last;
  const below = found === 0 ? undefined : buckets[found - 1];
  if (!below && upper <= 0) return upper;
  const start = below?.upper ?? 0;
  const counted = below?.count ?? 0;
  return start + (upper - start) * ((rank - counted) / (count - counted));
}

/** Sorted, with equal bounds added up; a count below the one before it is raised to that. */
function cumulative(given: readonly Bucket[]): Bucket[] {
  const buckets: Bucket[] = [];
  for (const { upper, count } of given.toSorted((one, other) => ascending(one.upper, other.upper))) {
    const last = buckets.at(-1);
    if (last?.upper === upper) last.count += count;
    else buckets.push({ upper, count });
  }
  let most = Number.NEGATIVE_INFINITY;
  return buckets.map(({ upper, count }) => {
    most = count > most || Number.isNaN(most) ? count : most;
    return { upper, count: most };
  });
}
