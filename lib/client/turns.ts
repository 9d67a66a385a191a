/** What of a budget says when it changes by itself. */
interface Turning {
  monthly_limit_usd: number | null;
  status: { month: string; frozen: boolean; freezes_at: string | null };
}

/** The longest that a timer takes. */
const MOST_MS = 2 ** 31 - 1;
/** The clocks of the browser and the server may differ: so long after the moment it is asked, and again. */
const LATE_MS = 2000;

/**
 * How many ms from now a budget changes by itself: it freezes when what runs has used it up, and with the month (UTC)
 * everything begins anew; false: it does not.
 */
export function untilBudgetTurns({ monthly_limit_usd, status }: Turning, now: number): number | false {
  if (monthly_limit_usd === null) return false;
  const [year = 0, month = 0] = status.month.split('-').map(Number);
  const turn = !status.frozen && status.freezes_at ? Date.parse(status.freezes_at) : Date.UTC(year, month);
  return Math.min(Math.max(turn - now, 0) + LATE_MS, MOST_MS);
}
