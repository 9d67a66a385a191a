import { ResourceLink } from '@/components/billing/resource-link';
import { Money } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { createdColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import type { Row } from '@/lib/client/list';
import { TagList } from './tag-list';

export type InventoryItem = Row<'/api/v1/inventory/inventory'>;

const column = columnsOf<InventoryItem>();
export const inventoryColumns = [
  column.accessor('name', {
    header: 'Name',
    cell: ({ row: { original } }) => <ResourceLink resource={original} />,
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ getValue }) => {
      const status = getValue();
      return status === null ? '–' : <StatusBadge status={status} />;
    },
  }),
  column.accessor('tags', {
    header: 'Tags',
    meta: { from: 'md' },
    cell: ({ getValue }) => (Object.keys(getValue()).length === 0 ? '–' : <TagList tags={getValue()} />),
  }),
  column.accessor('addresses', {
    header: 'Addresses',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <span className="font-mono text-xs">{getValue().join(', ') || '–'}</span>,
  }),
  column.accessor('hourly_usd', {
    header: 'Per hour',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => <Money usd={getValue()} />,
  }),
  column.accessor('month_to_date_usd', {
    header: 'This month',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Money usd={getValue()} />,
  }),
  column.accessor('created_by', {
    header: 'Created by',
    meta: { from: 'xl' },
    cell: ({ getValue }) => getValue() ?? 'The platform',
  }),
  { ...createdColumn<InventoryItem>({ from: 'xl' }), enableSorting: false },
];
