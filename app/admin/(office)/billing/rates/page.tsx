'use client';

import { Plus } from 'lucide-react';
import { type RatedMetric, RateHistory } from '@/components/backoffice/money/rate-history';
import { rates } from '@/components/backoffice/navigation';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { listRates } from '@/lib/client/operations/backoffice';
import { formatPrice, formatRate } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';
import { adminPaths } from '@/lib/paths';

const column = columnsOf<RatedMetric>();
const columns = [
  column.accessor('name', {
    header: 'Metric',
    cell: ({ getValue }) => <span className="font-medium">{getValue()}</span>,
  }),
  column.accessor('unit_price_usd', {
    header: 'This month',
    meta: { align: 'right' },
    cell: ({ row: { original } }) =>
      original.unit_price_usd === null ? (
        <span className="text-ink-subtle">Not priced</span>
      ) : (
        <>
          {formatPrice(original.unit_price_usd)}{' '}
          <span className="text-ink-muted max-sm:block max-sm:text-xs">/ {original.unit}</span>
        </>
      ),
  }),
  column.accessor('rates', {
    header: 'Upcoming',
    cell: ({ row: { original } }) => <Coming {...original} />,
  }),
];

function Coming({ rates, unit }: RatedMetric) {
  const coming = rates.filter(({ state }) => state === 'coming');
  if (coming.length === 0) return <span className="text-ink-subtle">–</span>;
  return coming.map(({ id, effective_from, unit_price_usd }) => (
    <span key={id} className="block whitespace-nowrap text-xs tabular-nums">
      {formatRate(unit_price_usd, unit)} from {formatMonth(effective_from)}
    </span>
  ));
}

/** The rate card and its history. */
export default function RatesPage() {
  return (
    <ResourceList
      of={rates}
      list={listRates}
      about="Unit prices for tenants. Rates start with a future month (UTC) and are never edited."
      emptyTitle="No metrics"
      empty="The platform defines its metrics."
      columns={columns}
      rowId={({ metric }) => metric}
      searchable={false}
      actions={({ metric }) => [{ label: 'Add rate', icon: Plus, href: adminPaths.newRate({ metric }) }]}
    >
      {(metrics) => (
        <div className="mt-8">
          <RateHistory metrics={metrics} />
        </div>
      )}
    </ResourceList>
  );
}
