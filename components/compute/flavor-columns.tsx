import { Size } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { columnsOf } from '@/components/kit/table/data-table';
import { ClaimsPrice } from '@/components/pricing/claims-price';
import type { Row } from '@/lib/client/list';
import { billedWhileRunning } from '@/lib/domains/compute/billed';

const column = columnsOf<Row<'/api/v1/compute/flavors'>>();
/** The columns of flavors, with their price while running. */
export const flavorColumns = [
  column.accessor('name', {
    header: 'Name',
    cell: ({ row: { original } }) => (
      <span className="inline-flex items-center gap-2">
        <span className="font-medium">{original.name}</span>
        {original.status === 'deprecated' && <StatusBadge status="deprecated" />}
      </span>
    ),
  }),
  column.accessor('vcpus', { header: 'vCPUs', meta: { align: 'right' } }),
  column.accessor('ram_gb', {
    header: 'Memory',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Size gigabytes={getValue()} />,
  }),
  column.accessor('disk_gb', {
    header: 'Boot disk',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Size gigabytes={getValue()} />,
  }),
  column.accessor('gpu_slices', {
    header: 'GPU slices',
    meta: { align: 'right' },
    cell: ({ getValue }) => (getValue() === 0 ? <span className="text-ink-subtle">–</span> : getValue()),
  }),
  column.display({
    id: 'hour',
    header: 'Per hour',
    meta: { align: 'right' },
    cell: ({ row: { original } }) => <ClaimsPrice claims={billedWhileRunning(original)} per="hour" />,
  }),
  column.display({
    id: 'month',
    header: 'Per month',
    meta: { align: 'right' },
    cell: ({ row: { original } }) => <ClaimsPrice claims={billedWhileRunning(original)} per="month" />,
  }),
];
