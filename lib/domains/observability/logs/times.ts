import { invalid } from '@/lib/core/api/errors';
import { parseMoment } from '../moment';
import { parseDuration } from './logql/units';
import { MOST_POINTS } from './query';
import { LATEST_US } from './read';

/** As in Loki. */
const SECONDS_DIGITS = 10;
/** Loki's defaults. */
const DEFAULT_SPAN_US = 3600e6;
const DEFAULT_POINTS = 250;

/**
 * A moment as Loki's clients write it: ISO 8601, Unix seconds (up to ten digits, or with a point) or Unix nanoseconds. In
 * nanoseconds, rounded up or down to the microseconds of the store; times outside of what it can hold mean its ends.
 */
export function parseTime(name: string, text: string, round: 'up' | 'down'): number {
  const ns = parseMoment(text, SECONDS_DIGITS);
  if (ns === undefined) {
    throw invalid(`${name}: must be a time in ISO 8601 such as 2026-03-01T12:00:00Z, or Unix nanoseconds.`);
  }
  const us = Number((ns + (round === 'up' ? 999n : 0n)) / 1000n);
  return Math.min(Math.max(us, 0), LATEST_US);
}

/** A time of the store as Loki writes it. */
export const nanoseconds = (at_us: number) => `${at_us}000`;

type Given = { start?: string | undefined; end?: string | undefined; since?: string | undefined };

/** The span that a request names: until now, and an hour long, where it does not. */
export function spanOf({ start, end, since }: Given, now: Date, round: 'up' | 'down', defaultUs = DEFAULT_SPAN_US) {
  const to_us = end === undefined ? now.getTime() * 1000 : parseTime('end', end, round);
  const before = since === undefined ? defaultUs : durationOf('since', since);
  const from_us = start === undefined ? to_us - before : parseTime('start', start, round);
  if (from_us > to_us) throw invalid('end: must not be before start.');
  return { from_us, to_us };
}

/** A duration such as `5m`, or seconds. */
function durationOf(name: string, text: string): number {
  const us = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1e6 : parseDuration(text);
  if (us === undefined || us < 1 || us > LATEST_US)
    throw invalid(`${name}: must be a duration such as 30s or 5m, or a number of seconds.`);
  return Math.round(us);
}

/** The moments at which a metric query is evaluated; both ends are among them. */
export function stepsOf({ from_us, to_us }: { from_us: number; to_us: number }, step: string | undefined): number[] {
  const seconds = Math.max(1, Math.ceil((to_us - from_us) / 1e6 / DEFAULT_POINTS));
  const step_us = step === undefined ? seconds * 1e6 : durationOf('step', step);
  const count = Math.floor((to_us - from_us) / step_us) + 1;
  if (count > MOST_POINTS) {
    throw invalid(
      `exceeded maximum resolution of ${MOST_POINTS.toLocaleString('en')} points per time series. Try increasing the value of the step parameter`,
    );
  }
  return Array.from({ length: count }, (_, index) => from_us + index * step_us);
}
