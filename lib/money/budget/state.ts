import type { Decimal } from 'decimal.js';
import { ApiError } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { formatSpend } from '@/lib/format/money';
import { Money } from '@/lib/money/rating/cost';
import { crossingAt, hasReached, type Meter, readMeter, spendAt } from '@/lib/money/rating/meter';
import { type BudgetStatus, DEFAULT_THRESHOLDS } from './schema';

/** A project's stored budget; amounts are decimal text. */
export type BudgetFacts = {
  project_id: string;
  /** null: no budget. */
  limit: string | null;
  freezes: boolean;
  /** The part of the lift that counts this month. */
  lift: string;
  /** Prepaid credit not yet used by invoices. */
  credit: string;
  version: number;
  thresholds: number[];
  notify_emails: string[];
  webhook_url: string | null;
  updated_at: Date | null;
};

/** The columns of `BudgetFacts`, from the account `a` and the optional budget `b`. */
export const budgetColumns = sql`a.project_id, trim_scale(a.budget_limit_usd) AS "limit", a.budget_freezes AS freezes,
  trim_scale(a.credit_usd) AS credit, a.budget_version AS version,
  CASE WHEN a.budget_lift_month = month_of(platform_now()) THEN trim_scale(a.budget_lift_usd) ELSE 0 END AS lift,
  coalesce(b.thresholds, ${[...DEFAULT_THRESHOLDS]}::int[]) AS thresholds,
  coalesce(b.notify_emails, '{}') AS notify_emails, b.webhook_url, b.updated_at`;

/** A project's budget, whether or not one was ever set; undefined: unknown project. */
export async function readBudgetFacts(projectId: string): Promise<BudgetFacts | undefined> {
  return queryOne<BudgetFacts>(sql`SELECT ${budgetColumns}
    FROM project_accounts a LEFT JOIN budgets b ON b.project_id = a.project_id WHERE a.project_id = ${projectId}::uuid`);
}

/** The spend at which a project freezes: limit plus lift; null: never. */
function freezeAmount({ limit, freezes, lift }: BudgetFacts): Decimal | null {
  return limit === null || !freezes ? null : new Money(limit).plus(lift);
}

/** Whether the project is frozen (spec 3.1) as of the meter's moment. */
export function isFrozen(facts: BudgetFacts, meter: Meter): boolean {
  const amount = freezeAmount(facts);
  return amount !== null && hasReached(meter, amount);
}

/** The status of the budget for the API. */
export function budgetStatus(facts: BudgetFacts, meter: Meter): Sendable<BudgetStatus> {
  const { limit } = facts;
  const spend = spendAt(meter);
  const amount = freezeAmount(facts);
  const frozen = isFrozen(facts, meter);
  const when = (usd: Decimal) => crossingAt(meter, usd)?.toISOString() ?? null;
  return {
    month: meter.month,
    month_to_date_usd: JsonNumber.money(spend),
    used_percent: limit === null ? null : JsonNumber.money(usedPercent(spend, limit)),
    frozen,
    frozen_reason: frozen ? reason(facts, spend) : null,
    lift_usd: JsonNumber.money(facts.lift),
    freezes_at: amount === null ? null : when(amount),
    reached_at: limit === null ? null : when(new Money(limit)),
    thresholds: limit === null ? [] : thresholds(facts, limit, meter),
  };
}

/** Rounded down, so that 100 appears only when the limit is reached. */
const usedPercent = (spend: Decimal, limit: string) => spend.times(100).div(limit).toDecimalPlaces(2, Money.ROUND_DOWN);

function thresholds({ thresholds: percents }: BudgetFacts, limit: string, meter: Meter) {
  return percents.map((percent) => {
    const amount = new Money(limit).times(percent).div(100);
    return {
      percent,
      amount_usd: JsonNumber.money(amount),
      reached: hasReached(meter, amount),
      at: crossingAt(meter, amount)?.toISOString() ?? null,
    };
  });
}

const dollars = (amount: Decimal) => formatSpend(amount.toFixed());

function reason({ limit, lift }: BudgetFacts, spend: Decimal): string {
  const credited = new Money(lift);
  const budget = `${dollars(new Money(limit ?? 0))}${credited.isZero() ? '' : ` plus ${dollars(credited)} for added credit`}`;
  return (
    `The budget of this project is used up: ${dollars(spend)} spent this month of ${budget}. Until the month ends, nothing ` +
    'can be created or enlarged. A project admin can lift this by raising the budget (PUT /billing/budget) or adding ' +
    'credit (POST /billing/checkout-session); a platform administrator can also grant credit.'
  );
}

/** The error for a call that the frozen budget refuses. */
export async function frozenRefusal(projectId: string): Promise<ApiError> {
  const [facts, meter] = await Promise.all([readBudgetFacts(projectId), readMeter(projectId)]);
  if (!facts) throw new Error(`project ${projectId} has no account`);
  return new ApiError('BUDGET_FROZEN', reason(facts, spendAt(meter)));
}
