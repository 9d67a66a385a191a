import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { budgetStatus, readBudgetFacts } from '@/lib/money/budget/state';
import { categories, categoryNames } from '@/lib/money/metering/categories';
import { metrics } from '@/lib/money/metering/metrics';
import { owedBy } from '@/lib/money/payments/owed';
import { Money, total } from '@/lib/money/rating/cost';
import { burnPerHour, forecast, type Meter, readMeter } from '@/lib/money/rating/meter';
import { monthAfter } from '@/lib/money/rating/month';
import { costsByDay } from './breakdown';
import { divide, type MonthCosts, monthCosts, toMillionths } from './costs';
import type { Overview } from './schema';

/**
 * Current and forecast spend, as of one moment. Spend and budget come from the meter, so the cost of this call does not
 * grow with the number of resources.
 */
export async function readOverview({ project_id }: ProjectCall): Promise<Sendable<Overview>> {
  const [facts, meter, owed] = await Promise.all([
    readBudgetFacts(project_id),
    readMeter(project_id),
    owedBy(project_id),
  ]);
  if (!facts) throw notFound('The project');
  const { month, at, lines } = meter;
  const costs = await monthCosts(project_id, month, meter);
  const [days, last] = await Promise.all([
    costsByDay(project_id, costs, meter),
    monthCosts(project_id, monthAfter(month, -1), meter),
  ]);
  return {
    month,
    as_of: at.toISOString(),
    month_to_date_usd: JsonNumber.money(costs.total),
    last_month_usd: JsonNumber.money(last.total),
    forecast_usd: JsonNumber.money(forecast(meter)),
    burn_usd_per_hour: JsonNumber.money(total(lines.map((line) => burnPerHour(line, month)))),
    credit_usd: JsonNumber.money(facts.credit),
    owed_usd: JsonNumber.money(owed),
    budget: {
      monthly_limit_usd: facts.limit === null ? null : JsonNumber.money(facts.limit),
      enable_quota_freeze: facts.freezes,
      status: budgetStatus(facts, meter),
    },
    by_category: byCategory(costs, meter),
    by_day: days.map(({ day, amount }) => ({ day, amount_usd: JsonNumber.money(amount ?? 0) })),
  };
}

/** Categories with costs this month, so far or until its end. */
function byCategory(costs: MonthCosts, meter: Meter): Sendable<Overview['by_category']> {
  const priced = meter.lines.filter(({ price_usd }) => price_usd !== null);
  const present = categories.filter((name) => priced.some(({ metric }) => metrics[metric].category === name));
  const ahead = divide(
    toMillionths(forecast(meter)),
    present.map((name) =>
      forecast({ ...meter, lines: priced.filter(({ metric }) => metrics[metric].category === name) }),
    ),
  );
  return present.map((category, index) => {
    const spent = costs.metrics.flatMap((line) =>
      metrics[line.metric].category === category && line.amount ? [line.amount] : [],
    );
    return {
      category,
      name: categoryNames[category],
      month_to_date_usd: JsonNumber.money(total(spent)),
      forecast_usd: JsonNumber.money(ahead[index] ?? new Money(0)),
    };
  });
}
