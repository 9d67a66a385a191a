'use client';

import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, nameColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { AddressUse } from '@/components/network/address-use';
import { networks } from '@/components/network/domain';
import { useNetworkActions } from '@/components/network/network-actions';
import type { Network } from '@/components/network/types';
import { createNetwork, listNetworks } from '@/lib/client/operations/network';
import { paths } from '@/lib/paths';

const column = columnsOf<Network>();
const columns = [
  nameColumn<Network>({ href: paths.network, badge: ({ is_default }) => is_default && <Badge>Default</Badge> }),
  statusColumn<Network>(),
  column.accessor('cidr', {
    header: 'IP range',
    cell: ({ getValue }) => <span className="font-mono text-xs">{getValue()}</span>,
  }),
  column.accessor('gateway_ip', {
    header: 'Gateway',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <span className="font-mono text-xs">{getValue()}</span>,
  }),
  column.accessor('dhcp_enabled', {
    header: 'DHCP',
    meta: { from: 'lg' },
    cell: ({ getValue }) => (getValue() ? 'On' : <span className="text-ink-muted">Off</span>),
  }),
  column.accessor('port_count', {
    header: 'IP addresses in use',
    cell: ({ row: { original } }) => <AddressUse used={original.port_count} total={original.address_count} small />,
  }),
  createdColumn<Network>({ from: 'md' }),
];

/** The project's private networks. */
export default function NetworksPage() {
  return (
    <ResourceList
      of={networks}
      list={listNetworks}
      command={createNetwork}
      about="Private networks behind the project’s router. Instances on the same network can reach each other; other projects are isolated."
      empty="A network is a private IP range. Instances on it reach each other, and the internet through the project’s router."
      columns={columns}
      actions={useNetworkActions()}
    />
  );
}
