'use client';

import { ChartColumn } from 'lucide-react';
import { useState } from 'react';
import { monthName } from '@/components/billing/invoices';
import { usageColumns } from '@/components/billing/usage-columns';
import { UsagePicture } from '@/components/billing/usage-picture';
import { monthsUntil, spanOf, type UsageQuery } from '@/components/billing/usage-series';
import { ExportCsv } from '@/components/kit/data/export-csv';
import { Page } from '@/components/kit/page/page';
import { ResourceTable } from '@/components/kit/resource/resource-table';
import { useTableState } from '@/components/kit/table/table-state';
import { listUsage } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';

const MONTHS = 13;

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
  return (
    <Page
      title="Usage"
      description="Metered usage by day and resource. Each invoice line is the sum of these rows."
      actions={<ExportCsv path="/api/v1/billing/usage.csv" query={{ ...filters }} name={`usage-${month}.csv`} />}
    >
      <UsagePicture filters={filters} from={from} to={to} metric={metric?.name} />
      <ResourceTable
        of={{ icon: ChartColumn, noun: 'row' }}
        list={listUsage}
        query={{ ...filters, month: undefined, metric: metric?.metric }}
        columns={usageColumns(stats.data?.metrics ?? [])}
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
        emptyTitle="No usage this month"
        empty="Instances are metered while they run, disks while they exist, and egress as traffic is sent. Usage appears here after you create your first resource."
      />
    </Page>
  );
}
