'use client';

import { ChartColumn, Download } from 'lucide-react';
import { useState } from 'react';
import { monthName } from '@/components/billing/invoices';
import { ResourceLink } from '@/components/billing/resource-link';
import { UsagePicture } from '@/components/billing/usage-picture';
import { monthsUntil, spanOf, type UsageQuery } from '@/components/billing/usage-series';
import { Money } from '@/components/kit/data/amounts';
import { EmptyState } from '@/components/kit/page/empty-state';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { Button } from '@/components/kit/ui/button';
import { download } from '@/lib/client/download';
import { type Row, useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import type { components } from '@/lib/client/schema';

type Usage = Row<'/api/v1/billing/usage'>;
type Metric = Usage['metric'];
type Stats = components['schemas']['UsageStats']['metrics'];

const MONTHS = 13;
const quantities = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
const dayOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const column = columnsOf<Usage>();

/** What was metered, day by day and resource by resource: what every line of an invoice is made of. */
export default function UsagePage() {
  const { api } = useProject();
  const state = useTableState(['month', 'metric', 'resource_id']);
  const [now] = useState(() => Date.now());
  const months = monthsUntil(now, MONTHS);
  const asked = state.filter('month');
  const month = asked !== undefined && /^20\d{2}-(0[1-9]|1[0-2])$/.test(asked) ? asked : (months[0] ?? '');
  const { from, to } = spanOf(month, now);
  const stats = api.useQuery('get', '/api/v1/billing/stats', { params: { query: { month } } });
  const resources = api.useQuery('get', '/api/v1/billing/breakdown', { params: { query: { month, by: 'resource' } } });
  const metric = stats.data?.metrics.find((one) => one.metric === state.filter('metric'));
  const resource_id = state.filter('resource_id');
  const filters: UsageQuery = {
    from,
    to,
    ...(metric ? { metric: metric.metric } : {}),
    ...(resource_id ? { resource_id } : {}),
  };
  const list = useList('/api/v1/billing/usage', { ...filters, limit: state.query.limit, cursor: state.query.cursor });
  return (
    <Page
      title="Usage"
      description="Metered usage by day and resource. Each invoice line is the sum of these rows."
      actions={<ExportCsv filters={filters} name={`usage-${month}.csv`} />}
    >
      <UsagePicture filters={filters} from={from} to={to} metric={metric?.name} />
      <DataTable
        noun="row"
        list={list}
        state={state}
        columns={columnsFor(stats.data?.metrics ?? [])}
        rowId={({ day, metric: of, resource }) => `${day} ${of} ${resource.id}`}
        rowName={({ resource }) => resource.name}
        searchable={false}
        filters={[
          {
            name: 'month',
            label: 'Month',
            options: months.map((value) => ({ value, label: monthName(value) })),
          },
          {
            name: 'metric',
            label: 'Metric',
            options: (stats.data?.metrics ?? [])
              .filter(({ quantity, metric: of }) => quantity > 0 || of === state.filter('metric'))
              .map(({ metric: value, name }) => ({ value, label: name })),
          },
          {
            name: 'resource_id',
            label: 'Resource',
            options: (resources.data?.items ?? []).flatMap(({ resource }) =>
              resource ? [{ value: resource.id, label: resource.name }] : [],
            ),
          },
        ]}
        empty={
          <EmptyState icon={ChartColumn} title="No usage this month">
            Instances are metered while they run, disks while they exist, and egress as traffic is sent. Usage appears
            here after you create your first resource.
          </EmptyState>
        }
      />
    </Page>
  );
}

function columnsFor(stats: Stats) {
  const names = new Map<Metric, string>(stats.map(({ metric, name }) => [metric, name]));
  return [
    column.accessor('day', {
      header: 'Day (UTC)',
      cell: ({ getValue }) => <time dateTime={getValue()}>{dayOf.format(Date.parse(getValue()))}</time>,
    }),
    column.accessor('resource', {
      header: 'Resource',
      cell: ({ getValue }) => <ResourceLink resource={getValue()} />,
    }),
    column.accessor('metric', {
      header: 'Metric',
      cell: ({ getValue }) => names.get(getValue()) ?? getValue(),
    }),
    column.accessor('quantity', {
      header: 'Quantity',
      meta: { align: 'right' },
      cell: ({ row: { original } }) => `${quantities.format(original.quantity)} ${original.unit}`,
    }),
    column.accessor('amount_usd', {
      header: 'Cost',
      meta: { align: 'right' },
      cell: ({ row: { original } }) =>
        original.amount_usd === null ? (
          <span className="text-ink-subtle">No price</span>
        ) : (
          <Money usd={original.amount_usd} />
        ),
    }),
  ];
}

function ExportCsv({ filters, name }: { filters: UsageQuery; name: string }) {
  const { headers } = useProject();
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setPending(true);
    setError(undefined);
    await download('/api/v1/billing/usage.csv', { ...filters }, headers, name).catch(setError);
    setPending(false);
  };
  return (
    <>
      <Button pending={pending} onClick={() => void save()}>
        <Download /> Export CSV
      </Button>
      {error !== undefined && <ErrorNotice title="The export failed" error={error} />}
    </>
  );
}
