'use client';

import { Cpu } from 'lucide-react';
import { Size } from '@/components/kit/data/amounts';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { FlavorMonth, FlavorPrice } from '@/components/pricing/flavor-price';
import { type Row, useList } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
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
    meta: { align: 'right', from: 'sm' },
    cell: ({ getValue }) => <Size gigabytes={getValue()} />,
  }),
  column.accessor('gpu_slices', {
    header: 'GPU slices',
    meta: { align: 'right', from: 'sm' },
    cell: ({ getValue }) => (getValue() === 0 ? <span className="text-ink-subtle">–</span> : getValue()),
  }),
  column.display({
    id: 'hour',
    header: 'Per hour',
    meta: { align: 'right', from: 'sm' },
    cell: ({ row: { original } }) => <FlavorPrice flavor={original} per="hour" />,
  }),
  column.display({
    id: 'month',
    header: 'Per month',
    meta: { align: 'right' },
    cell: ({ row: { original } }) => <FlavorPrice flavor={original} per="month" />,
  }),
];

/** The sizes of instances. */
export default function FlavorsPage() {
  const { project } = useProject();
  const state = useTableState();
  const list = useList('/api/v1/compute/flavors', state.query);
  const may = useMay('createInstance');
  return (
    <Page
      title="Flavors"
      description={
        <>
          Instance sizes and their price while running; <FlavorMonth />. vCPUs and memory count towards the project’s
          quota, boot disks do not.
        </>
      }
    >
      <DataTable
        noun="flavor"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        searchable={false}
        actions={({ id, status }) => [
          {
            label: 'Create instance',
            icon: Cpu,
            href: paths.newInstance(project.slug, { flavor_id: id }),
            disabledReason:
              status === 'deprecated' ? 'Deprecated. Choose another flavor for new instances.' : may.reason,
          },
        ]}
        empty={
          <EmptyState icon={Cpu} title="No flavors">
            Platform administrators define the available flavors.
          </EmptyState>
        }
      />
    </Page>
  );
}
