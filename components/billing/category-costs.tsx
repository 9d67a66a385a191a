import { Money } from '@/components/kit/data/amounts';
import { formatMoney } from '@/lib/format/money';
import type { Overview } from './spend-series';

/** The month by service: spent until now, and what the month will have cost. */
export function CategoryCosts({ categories }: { categories: Overview['by_category'] }) {
  const most = Math.max(...categories.map(({ forecast_usd }) => forecast_usd), 0.000001);
  if (categories.length === 0) return <p className="text-ink-muted text-sm">No charges this month.</p>;
  return (
    <ul className="space-y-3.5 text-sm">
      {categories.map(({ category, name, month_to_date_usd, forecast_usd }) => (
        <li key={category}>
          <span className="flex items-baseline justify-between gap-3">
            <span className="font-medium">{name}</span>
            <Money usd={month_to_date_usd} />
          </span>
          <span className="relative mt-1.5 block h-1.5 overflow-hidden rounded-full bg-hover" aria-hidden="true">
            <span
              className="absolute inset-y-0 left-0 rounded-full bg-accent opacity-35"
              style={{ width: `${(forecast_usd / most) * 100}%` }}
            />
            <span
              className="absolute inset-y-0 left-0 rounded-full bg-accent"
              style={{ width: `${(month_to_date_usd / most) * 100}%` }}
            />
          </span>
          <span className="mt-1 block text-ink-muted text-xs tabular-nums">
            {formatMoney(forecast_usd)} by the end of the month
          </span>
        </li>
      ))}
    </ul>
  );
}
