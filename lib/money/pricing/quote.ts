import type { Overview, Pricing } from '@/lib/money/billing/schema';
import type { Use } from '@/lib/money/metering/use';
import { endOf, hoursOf, secondsOf } from '@/lib/money/rating/month';
import { divideUp, type Fixed, fixed, quotient } from './decimal';

export type Claim = Use;

export interface QuoteLine {
  label: string;
  quantity: number;
  /** The unit of the quantity: "vCPU". */
  unit: string;
  /** The exact price of one `per`; null: metered and free of charge. */
  unit_price_usd: string | null;
  per: string;
  /** Decimal text of six places, half to even. */
  usd_per_hour: string;
  usd_per_month: string;
}

/** The cost of resources at this month's rates. */
export interface Quote {
  lines: QuoteLine[];
  usd_per_hour: string;
  /** For a full month of this length: its invoice amount before rounding to cents. */
  usd_per_month: string;
  /** The hours of this month. */
  hours: number;
  /** The hourly cost from the next month with changed rates, if any. */
  next: { month: string; usd_per_hour: string } | null;
  /** In USD of this month, exact. */
  exact: Fixed;
}

/**
 * The cost of long-lived resources as the server bills them (spec 2.5): hourly prices by each hour, a GB-month by its
 * share of this month's hours.
 */
export function quote({ month, items }: Pricing, claims: readonly Claim[]): Quote {
  const hours = hoursOf(month);
  const priced = claims.filter(({ quantity }) => quantity > 0).map((claim) => ({ claim, item: itemOf(items, claim) }));
  const lines = priced.map(({ claim, item }) => {
    const exact = monthly(item, claim.quantity, hours);
    const { unit, per, unit_price_usd } = item;
    return {
      label: claim.label ?? item.name,
      quantity: claim.quantity,
      unit,
      per,
      unit_price_usd,
      ...rates(exact, hours),
    };
  });
  const exact = sum(priced.map(({ claim, item }) => monthly(item, claim.quantity, hours)));
  const changes = priced.flatMap(({ item: { next } }) => (next ? [next.effective_from] : [])).sort();
  const [first] = changes;
  return { lines, ...rates(exact, hours), hours, next: first === undefined ? null : nextOf(first), exact };

  function nextOf(from: string) {
    const length = hoursOf(from);
    const then = priced.map(({ claim, item }) => {
      const { next } = item;
      const changed = next?.effective_from === from ? { ...item, unit_price_usd: next.unit_price_usd } : item;
      return monthly(changed, claim.quantity, length);
    });
    return { month: from, usd_per_hour: quotient(sum(then), BigInt(length)) };
  }
}

type Item = Pricing['items'][number];

function itemOf(items: readonly Item[], { metric }: Claim): Item {
  const item = items.find((candidate) => candidate.metric === metric);
  if (!item) throw new Error(`the rate card has no ${metric}`);
  return item;
}

/** The exact cost of a quantity in a month of this many hours: prices of ten decimals times quantities of six. */
function monthly({ unit_price_usd, basis }: Item, quantity: number, hours: number): Fixed {
  if (unit_price_usd === null || basis === 'count') return 0n;
  return fixed(unit_price_usd, 10) * fixed(quantity, 6) * (basis === 'hour' ? BigInt(hours) : 1n);
}

const sum = (amounts: readonly Fixed[]) => amounts.reduce((total, amount) => total + amount, 0n);
const rates = (exact: Fixed, hours: number) => ({
  usd_per_hour: quotient(exact, BigInt(hours)),
  usd_per_month: quotient(exact, 1n),
});

/** The effect of a quote on this month's spend and budget if it started now. */
export interface BudgetImpact {
  forecast_usd: { before: string; after: string };
  /** null: there is no budget. */
  limit_usd: number | null;
  /** At 100 % nothing new can be created. */
  freezes: boolean;
  /** When spend reaches the freeze, or the limit if it does not freeze; null: not in this month. */
  reached: { before: Date | null; after: Date | null };
}

/** As much of a project's spend as its budget depends on. */
export interface Spend extends Pick<Overview, 'month' | 'as_of' | 'month_to_date_usd' | 'forecast_usd'> {
  budget: Pick<Overview['budget'], 'monthly_limit_usd' | 'enable_quota_freeze'> & {
    status: Pick<Overview['budget']['status'], 'lift_usd'>;
  };
}

/** When spend reaches the budget, without and with the quote, given current usage. */
export function budgetImpact({ exact }: Pick<Quote, 'exact'>, overview: Spend): BudgetImpact {
  const { month, as_of, budget } = overview;
  const { monthly_limit_usd: limit, enable_quota_freeze: freezes, status } = budget;
  const start = Date.parse(as_of);
  const rest = BigInt(endOf(month).getTime() - start);
  const length = BigInt(secondsOf(month)) * 1000n;
  const spent = fixed(overview.month_to_date_usd);
  const forecast = fixed(overview.forecast_usd);
  // Multiplied by the length of the month, so that nothing is divided before display.
  const growth = { before: (forecast - spent) * length, after: (forecast - spent) * length + exact * rest };

  const amount = limit === null ? null : fixed(limit) + (freezes ? fixed(status.lift_usd) : 0n);
  const reached = (by: bigint): Date | null => {
    if (amount === null) return null;
    if (spent >= amount) return new Date(start);
    if (by <= 0n) return null;
    const wait = divideUp((amount - spent) * length * rest, by);
    return wait < rest ? new Date(start + Number(wait)) : null;
  };
  return {
    forecast_usd: {
      before: quotient(forecast, 1n),
      after: quotient(spent * length + growth.after, length),
    },
    limit_usd: limit,
    freezes,
    reached: { before: reached(growth.before), after: reached(growth.after) },
  };
}
