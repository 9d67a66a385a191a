import { Money } from '@/components/kit/data/amounts';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import type { components } from '@/lib/client/schema';
import { ResourceLink } from './resource-link';

type Usage = Row<'/api/v1/billing/usage'>;

type Metric = Usage['metric'];

type Stats = components['schemas']['UsageStats']['metrics'];

const quantities = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });

const dayOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const column = columnsOf<Usage>();

/** Metered usage, with the names of its metrics. */
export function usageColumns(stats: Stats) {
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
