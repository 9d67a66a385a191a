/** Durations are counted in buckets whose upper ends grow by a tenth. */
const BASE = 1.1;
const LAST = 200;

/** The bucket of a duration in milliseconds. */
export const bucketOf = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(LAST, Math.ceil(Math.log(ms) / Math.log(BASE)));

/** The upper end of a bucket in milliseconds. */
export const bucketEnd = (bucket: number): number => Math.round(BASE ** bucket);

/** Counts durations, and tells their quantiles with an error of at most a tenth. */
export class Durations {
  private readonly counts = new Array<number>(LAST + 1).fill(0);
  private total = 0;

  add(ms: number): void {
    const bucket = bucketOf(ms);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.total += 1;
  }

  /** The duration in milliseconds that a share (0 to 1) of all does not exceed; 0 without any. */
  quantile(share: number): number {
    if (this.total === 0) return 0;
    let upto = 0;
    const bucket = this.counts.findIndex((count) => {
      upto += count;
      return upto > 0 && upto >= share * this.total;
    });
    return bucketEnd(bucket);
  }
}
