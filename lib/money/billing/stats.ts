import type { ProjectCall } from '@/lib/core/api/endpoint';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { metrics } from '@/lib/money/metering/metrics';
import { Money, total } from '@/lib/money/rating/cost';
import { readMeter } from '@/lib/money/rating/meter';
import type { Month } from '@/lib/money/rating/month';
import { monthCosts } from './costs';
import type { Stats } from './schema';

/** Amounts of each metric in a month, and those held now. Costs match the breakdown. */
export async function readStats({ project_id }: ProjectCall, month: Month | undefined): Promise<Sendable<Stats>> {
  const meter = await readMeter(project_id);
  const costs = await monthCosts(project_id, month ?? meter.month, meter);
  return {
    month: costs.month,
    metrics: costs.metrics.map(({ metric, units, amount }) => {
      const { label: name, category, unit, unit_share } = metrics[metric];
      const lines = costs.month === meter.month ? meter.lines.filter((line) => line.metric === metric) : [];
      const open = total(lines.map(({ held }) => new Money(held).times(unit_share)));
      return {
        metric,
        name,
        category,
        unit,
        quantity: JsonNumber.money(units),
        amount_usd: amount && JsonNumber.money(amount),
        open_quantity: JsonNumber.money(open),
      };
    }),
  };
}
