/** A UTC month, `2026-02`: the period of rates, budgets and invoices. */
export type Month = string & { readonly of?: 'month' };

const DAY_S = 86_400;

/** The month of a date. */
export function monthOf(at: Date): Month {
  return at.toISOString().slice(0, 7);
}

/** The start of the month. */
export function startOf(month: Month): Date {
  return new Date(`${month}-01T00:00:00Z`);
}

/** The end of the month, exclusive. */
export function endOf(month: Month): Date {
  return startOf(monthAfter(month));
}

export function monthAfter(month: Month, count = 1): Month {
  const start = startOf(month);
  return monthOf(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + count, 1)));
}

/** The number of seconds: 28 to 31 days. */
export function secondsOf(month: Month): number {
  return (endOf(month).getTime() - startOf(month).getTime()) / 1000;
}

/** The number of hours, by which a GB-month is divided. */
export function hoursOf(month: Month): number {
  return (secondsOf(month) / DAY_S) * 24;
}
