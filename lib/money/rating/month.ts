/** A month of UTC, `2026-02`: what rates, budgets and invoices go by. */
export type Month = string & { readonly of?: 'month' };

const DAY_S = 86_400;

/** The month that holds a moment. */
export function monthOf(at: Date): Month {
  return at.toISOString().slice(0, 7);
}

/** Its first moment. */
export function startOf(month: Month): Date {
  return new Date(`${month}-01T00:00:00Z`);
}

/** The first moment that it no longer holds. */
export function endOf(month: Month): Date {
  return startOf(monthAfter(month));
}

export function monthAfter(month: Month, count = 1): Month {
  const start = startOf(month);
  return monthOf(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + count, 1)));
}

/** How many seconds it has: 28 to 31 days. */
export function secondsOf(month: Month): number {
  return (endOf(month).getTime() - startOf(month).getTime()) / 1000;
}

/** How many hours it has: what a GB-month is divided by. */
export function hoursOf(month: Month): number {
  return (secondsOf(month) / DAY_S) * 24;
}
