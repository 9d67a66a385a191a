import type { TimeWindow } from '@/components/kit/charts/time-range';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time ranges of logs and metrics. */
export const ranges = [
  { value: '15m', label: '15 min', ms: 15 * MINUTE_MS },
  { value: '1h', label: '1 hour', ms: HOUR_MS },
  { value: '6h', label: '6 hours', ms: 6 * HOUR_MS },
  { value: '24h', label: '24 hours', ms: DAY_MS },
  { value: '7d', label: '7 days', ms: 7 * DAY_MS },
] as const;
export type Range = (typeof ranges)[number]['value'];
export const rangeNames = ranges.map(({ value }) => value);

/** The window of a range that ends now, or the part that someone zoomed to. */
export function windowOf(range: Range, zoom: TimeWindow | undefined, now: number): TimeWindow {
  const length = ranges.find(({ value }) => value === range)?.ms ?? HOUR_MS;
  return zoom ?? { from: now - length, to: now };
}

const steps_s = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** A round step in seconds that divides a window into at most `most` parts. */
export function stepOf({ from, to }: TimeWindow, most: number): number {
  const shortest = (to - from) / 1000 / most;
  return steps_s.find((step) => step >= shortest) ?? 86_400 * Math.ceil(shortest / 86_400);
}

/** A window widened to whole steps. */
export function wholeSteps({ from, to }: TimeWindow, step_s: number): TimeWindow {
  const step = step_s * 1000;
  return { from: Math.floor(from / step) * step, to: Math.ceil(to / step) * step };
}

/** Milliseconds as Unix nanoseconds. */
export const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`;
