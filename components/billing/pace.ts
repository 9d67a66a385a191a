/** How spend grows if what runs now runs on. For reading alone: what is billed is computed by the platform, exactly. */
export interface Pace {
  /** The moment of `spent_usd`, in ms. */
  at: number;
  spent_usd: number;
  usd_per_hour: number;
  /** The first and the last moment of the month (UTC), in ms. */
  month_start: number;
  month_end: number;
}

/** When an amount of spend is reached: a moment in ms to come, or why there is none. */
export type Crossing = number | 'reached' | 'not_this_month';

const HOUR_MS = 3_600_000;

export function paceOf(overview: {
  month: string;
  as_of: string;
  month_to_date_usd: number;
  burn_usd_per_hour: number;
}): Pace {
  const [year = 0, month = 1] = overview.month.split('-').map(Number);
  return {
    at: Date.parse(overview.as_of),
    spent_usd: overview.month_to_date_usd,
    usd_per_hour: overview.burn_usd_per_hour,
    month_start: Date.UTC(year, month - 1),
    month_end: Date.UTC(year, month),
  };
}

/** The month's spend at a moment that is not before the pace's own, nor after the month. */
export function spentAt({ at, spent_usd, usd_per_hour, month_end }: Pace, moment: number): number {
  const hours = Math.max(0, Math.min(moment, month_end) - at) / HOUR_MS;
  return spent_usd + hours * usd_per_hour;
}

/**
 * The share of a budget that is used: the platform's figure, which never rounds up to 100 %, plus what has accrued since.
 */
export function shareOfBudget(
  said: { used_percent: number; month_to_date_usd: number; limit_usd: number },
  spent_usd: number,
): number {
  return said.used_percent / 100 + (spent_usd - said.month_to_date_usd) / said.limit_usd;
}

export function crossingOf(pace: Pace, amount_usd: number): Crossing {
  if (pace.spent_usd >= amount_usd) return 'reached';
  if (pace.usd_per_hour <= 0) return 'not_this_month';
  const moment = pace.at + ((amount_usd - pace.spent_usd) / pace.usd_per_hour) * HOUR_MS;
  return moment < pace.month_end ? moment : 'not_this_month';
}
