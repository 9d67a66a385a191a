'use client';

import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { Card } from '@/components/kit/ui/card';
import type { Row } from '@/lib/client/list';
import { formatRate } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';

export type RatedMetric = Row<'/admin/api/v1/billing/rates'>;

/** All rates that were ever added, the newest first, and which of them count. */
export function RateHistory({ metrics }: { metrics: readonly RatedMetric[] }) {
  const rates = metrics
    .flatMap(({ name, unit, rates: own }) => own.map((rate) => ({ ...rate, name, unit })))
    .sort((one, other) => other.created_at.localeCompare(one.created_at) || one.name.localeCompare(other.name));
  if (rates.length === 0) return null;
  return (
    <Card title="History" description="If several rates start in the same month, the last one added applies." flush>
      <ul aria-label="Rate history" className="divide-y text-sm">
        {rates.map(({ id, name, unit, unit_price_usd, effective_from, state, created_by, created_at }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <span className="min-w-36 font-medium">{name}</span>
            <span className="min-w-40 tabular-nums">{formatRate(unit_price_usd, unit)}</span>
            <span className="min-w-28 text-ink-muted">from {formatMonth(effective_from)}</span>
            <StatusBadge status={state} />
            <span className="ml-auto text-ink-muted text-xs">
              {created_by}, <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
