'use client';

import { Plus, Tags } from 'lucide-react';
import { type RatedMetric, RateHistory } from '@/components/backoffice/money/rate-history';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { keyedBy, useList } from '@/lib/client/list';
import { formatPrice, formatRate } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';
import { adminPaths } from '@/lib/paths';

const column = columnsOf<RatedMetric & { id: string }>();
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
  const state = useTableState();
  const rates = useList('/admin/api/v1/billing/rates', {});
  const add = <CreateLink label="Add rate" href={adminPaths.newRate()} operation="addRate" />;
  return (
    <Page
      title="Rates"
      description="Unit prices for tenants. Rates start with a future month (UTC) and are never edited."
      actions={add}
    >
      <div className="space-y-8">
        <DataTable
          noun="metric"
          list={keyedBy(rates, ({ metric }) => metric)}
          state={state}
          columns={columns}
          rowName={({ name }) => name}
          searchable={false}
          actions={({ metric }) => [{ label: 'Add rate', icon: Plus, href: adminPaths.newRate({ metric }) }]}
          empty={
            <EmptyState icon={Tags} title="No metrics">
              The platform defines its metrics.
            </EmptyState>
          }
        />
        <RateHistory metrics={rates.data?.rows ?? []} />
      </div>
    </Page>
  );
}
