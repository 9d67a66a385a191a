'use client';

import { instances } from '@/components/compute/domain';
import { type Instance, useInstanceActions } from '@/components/compute/instance-actions';
import { InstanceAddresses } from '@/components/compute/instance-addresses';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, idColumn, nameColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { priceColumn } from '@/components/pricing/price-column';
import { useList } from '@/lib/client/list';
import { createInstance, listInstances } from '@/lib/client/operations/compute';
import { billedNow } from '@/lib/domains/compute/billed';
import { paths } from '@/lib/paths';

const column = columnsOf<Instance>();
const columns = [
  nameColumn<Instance>({ href: paths.instance }),
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
    cell: ({ getValue }) => <InstanceAddresses addresses={getValue()} />,
  }),
  priceColumn<Instance>(billedNow),
  idColumn<Instance>('instance'),
  createdColumn<Instance>({ from: 'md' }),
];

const named = (rows: readonly { id: string; name: string }[] = []) =>
  rows.map(({ id, name }) => ({ value: id, label: name }));

/** The project's machines and their states, as they change. */
export default function InstancesPage() {
  const flavors = useList('/api/v1/compute/flavors', { limit: 200 });
  const networks = useList('/api/v1/network/networks', { limit: 200, sort: 'name' });
  const { actionsOf, dialog } = useInstanceActions();
  return (
    <ResourceList
      of={instances}
      list={listInstances}
      command={createInstance}
      about="Virtual machines with a boot disk, an IP address and a console."
      empty="An instance is a virtual machine created from a flavor, an image and a network. It boots in seconds, and its console opens in your browser."
      columns={columns}
      filters={[
        'status',
        { name: 'flavor_id', label: 'Flavor', options: named(flavors.data?.rows) },
        { name: 'network_id', label: 'Network', options: named(networks.data?.rows) },
      ]}
      actions={actionsOf}
    >
      {() => dialog}
    </ResourceList>
  );
}
