'use client';

import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { formatMoney } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
import { sumByDay, type UsageQuery, useUsageByDay } from './usage-series';

const DailyChart = lazyComponent(
  () => import('./daily-chart').then((module) => module.DailyChart),
  () => <Skeleton className="h-50 w-full" />,
);

interface UsagePictureProps {
  filters: UsageQuery;
  from: string;
  to: string;
  /** The metric's name, where there is only one. */
  metric: string | undefined;
}

/** The filtered usage as a bar a day: how much of one metric, or what all of them cost. */
export function UsagePicture({ filters, from, to, metric }: UsagePictureProps) {
  const query = useUsageByDay(filters);
  const unit = query.data?.rows[0]?.unit ?? '';
  const format = (value: number) => (metric ? `${formatNumber(value)} ${unit}` : formatMoney(value));
  const title = metric ? `${metric} by day` : 'Cost by day';
  return (
    <Loaded query={query} what="The chart" skeleton={<Skeleton className="mb-6 h-66 w-full rounded-lg" />}>
      {({ complete, rows }) => {
        if (rows.length === 0) return null;
        const days = sumByDay(rows, metric ? 'quantity' : 'amount_usd', from, to);
        const total = days.reduce((sum, { value }) => sum + value, 0);
        return (
          <Card
            className="mb-6"
            title={title}
            description={
              complete
                ? `Total: ${format(total)}. Days are in UTC.`
                : 'Too much data for a chart. Choose a metric or a resource.'
            }
          >
            {complete && <DailyChart days={days} format={format} />}
          </Card>
        );
      }}
    </Loaded>
  );
}
