'use client';

import { Cpu } from 'lucide-react';
import { flavors } from '@/components/compute/domain';
import { Size } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { ClaimsPrice, PricedMonth } from '@/components/pricing/claims-price';
import type { Row } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { listFlavors } from '@/lib/client/operations/compute';
import { useProject } from '@/lib/client/project';
import { billedWhileRunning } from '@/lib/domains/compute/billed';
import { paths } from '@/lib/paths';

const column = columnsOf<Row<'/api/v1/compute/flavors'>>();
const columns = [
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

/** The sizes of instances. */
export default function FlavorsPage() {
  const { project } = useProject();
  const may = useMay('createInstance');
  return (
    <ResourceList
      of={flavors}
      list={listFlavors}
      about={
        <>
          Instance sizes and their price while running; <PricedMonth />. vCPUs and memory count towards the project’s
          quota, boot disks do not.
        </>
      }
      emptyTitle="No flavors"
      empty="Platform administrators define the available flavors."
      columns={columns}
      searchable={false}
      actions={({ id, status }) => [
        {
          label: 'Create instance',
          icon: Cpu,
          href: paths.newInstance(project.slug, { flavor_id: id }),
          disabledReason: status === 'deprecated' ? 'Deprecated. Choose another flavor for new instances.' : may.reason,
        },
      ]}
    />
  );
}
