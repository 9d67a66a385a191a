'use client';

import { Server } from 'lucide-react';
import Link from 'next/link';
import { CreateInstanceLink } from '@/components/compute/create-instance-link';
import { type Instance, useInstanceActions } from '@/components/compute/instance-actions';
import { InstanceAddresses } from '@/components/compute/instance-addresses';
import { Id } from '@/components/kit/data/id';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { statusOptions } from '@/components/kit/data/statuses';
import { Time } from '@/components/kit/data/time';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { instanceStatuses } from '@/lib/domains/compute/transitions';
import { paths } from '@/lib/paths';

const column = columnsOf<Instance>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => <InstanceLink instance={original} />,
  }),
  column.accessor('status', {
    header: 'Status',
    cell: ({ row: { original } }) => (
      <StatusBadge status={original.status} reason={original.fault?.message ?? original.status_reason} />
    ),
  }),
  column.accessor('flavor.name', { id: 'flavor', header: 'Flavor', meta: { from: 'md' } }),
  column.accessor('image.name', { id: 'image', header: 'Image', meta: { from: 'lg' } }),
  column.accessor('addresses', {
    header: 'IP addresses',
    meta: { from: 'sm' },
    cell: ({ getValue }) => <InstanceAddresses addresses={getValue()} />,
  }),
  column.accessor('id', {
    header: 'ID',
    meta: { from: 'xl' },
    cell: ({ getValue }) => <Id value={getValue()} label="instance ID" />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function InstanceLink({ instance: { id, name } }: { instance: Instance }) {
  const { project } = useProject();
  return (
    <Link href={paths.instance(project.slug, id)} className="font-medium hover:underline">
      {name}
    </Link>
  );
}

const statuses = statusOptions(instanceStatuses);

const named = (rows: readonly { id: string; name: string }[] = []) =>
  rows.map(({ id, name }) => ({ value: id, label: name }));

/** The project's machines and their states, as they change. */
export default function InstancesPage() {
  const state = useTableState(['status', 'flavor_id', 'network_id']);
  const list = useList('/api/v1/compute/instances', state.query);
  const flavors = useList('/api/v1/compute/flavors', { limit: 200 });
  const networks = useList('/api/v1/network/networks', { limit: 200, sort: 'name' });
  const { actionsOf, dialog } = useInstanceActions();

  return (
    <Page
      title="Instances"
      description="Virtual machines with a boot disk, an IP address and a console."
      actions={<CreateInstanceLink />}
    >
      <DataTable
        noun="instance"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        filters={[
          { name: 'status', label: 'Status', options: statuses },
          { name: 'flavor_id', label: 'Flavor', options: named(flavors.data?.rows) },
          { name: 'network_id', label: 'Network', options: named(networks.data?.rows) },
        ]}
        actions={actionsOf}
        empty={
          <EmptyState
            icon={Server}
            title="No instances yet"
            action={<CreateInstanceLink />}
            command={`curl -X POST ${typeof window === 'undefined' ? '' : window.location.origin}/api/v1/compute/instances \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "web-1", "flavor_id": "…", "image_id": "…", "network_id": "…"}'`}
          >
            An instance is a virtual machine created from a flavor, an image and a network. It boots in seconds, and its
            console opens in your browser.
          </EmptyState>
        }
      />
      {dialog}
    </Page>
  );
}
