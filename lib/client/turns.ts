/** The part of a budget that determines its next automatic change. */
interface Turning {
  monthly_limit_usd: number | null;
  status: { month: string; frozen: boolean; freezes_at: string | null };
}

/** The longest timer. */
const MOST_MS = 2 ** 31 - 1;
/** Clocks of browser and server may differ, so the request is sent this long after the moment, and repeated. */
const LATE_MS = 2000;

/**
 * Milliseconds until a budget changes on its own: it freezes when current usage exhausts it, and starts anew with each
 * month (UTC). False: it does not.
 */
export function untilBudgetTurns({ monthly_limit_usd, status }: Turning, now: number): number | false {
  if (monthly_limit_usd === null) return false;
  const [year = 0, month = 0] = status.month.split('-').map(Number);
  const turn = !status.frozen && status.freezes_at ? Date.parse(status.freezes_at) : Date.UTC(year, month);
  return Math.min(Math.max(turn - now, 0) + LATE_MS, MOST_MS);
}
