import type { components } from '@/lib/client/schema';
import type { Pace } from './pace';

export type Overview = components['schemas']['BillingOverview'];

/** A point of the month's picture: what was spent until then, or will be. */
export interface SpendPoint {
  at: number;
  spent?: number;
  forecast?: number;
}

const DAY_MS = 86_400_000;

/** The month's spend day by day until now, and from now on as it goes if what runs now runs on. */
export function spendPoints(
  { by_day, forecast_usd }: Pick<Overview, 'by_day' | 'forecast_usd'>,
  pace: Pace,
): SpendPoint[] {
  let sum = 0;
  const days = by_day.map(({ day, amount_usd }) => {
    sum += amount_usd;
    return { at: Date.parse(`${day}T00:00:00Z`) + DAY_MS, spent: sum };
  });
  // Late usage of earlier months counts from the first moment of this one.
  const before = days.findLast(({ at }) => at <= pace.month_start)?.spent ?? 0;
  return [
    { at: pace.month_start, spent: before },
    ...days.filter(({ at }) => at > pace.month_start && at < pace.at),
    { at: pace.at, spent: pace.spent_usd, forecast: pace.spent_usd },
    { at: pace.month_end, forecast: forecast_usd },
  ];
}

/** Where the drawn line reaches an amount: on it, also in the past, of which only the days' sums are known. */
export function crossedAt(points: readonly SpendPoint[], amount: number): number | undefined {
  const amountOf = ({ spent, forecast }: SpendPoint) => spent ?? forecast ?? 0;
  const after = points.findIndex((point) => amountOf(point) >= amount);
  const [from, to] = [points[after - 1], points[after]];
  if (!from || !to) return undefined;
  const share = (amount - amountOf(from)) / (amountOf(to) - amountOf(from));
  return from.at + share * (to.at - from.at);
}

/** Lines across the picture: the limit, and what credit has added to it; those far above it are left out. */
export function limitLines(limit: number | null, lift: number, highest: number) {
  if (limit === null) return [];
  const lines = [{ amount: limit, label: 'Budget' }];
  if (lift > 0) lines.push({ amount: limit + lift, label: 'Budget and credit' });
  return lines.filter(({ amount }) => amount <= highest * 2.5);
}

/** At most so many days of the month, evenly, the first one among them. */
export function dayTicks({ month_start, month_end }: Pace, most: number): number[] {
  const days = Math.round((month_end - month_start) / DAY_MS);
  const step = [1, 2, 3, 5, 7, 10, 14].find((candidate) => days / candidate <= most) ?? days;
  return Array.from({ length: Math.ceil(days / step) }, (_, position) => month_start + position * step * DAY_MS);
}
