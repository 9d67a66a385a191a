'use client';

import { Network as NetworkIcon, Waypoints } from 'lucide-react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { Badge } from '@/components/kit/ui/badge';
import { ButtonLink } from '@/components/kit/ui/button';
import { AddressUse } from '@/components/network/address-use';
import { useNetworkActions } from '@/components/network/network-actions';
import { TextLink } from '@/components/network/text-link';
import type { Network } from '@/components/network/types';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const column = columnsOf<Network>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => <NameCell network={original} />,
  }),
  column.accessor('status', { header: 'Status', cell: ({ getValue }) => <StatusBadge status={getValue()} /> }),
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
    meta: { from: 'sm' },
    cell: ({ row: { original } }) => <AddressUse used={original.port_count} total={original.address_count} small />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function NameCell({ network: { id, name, is_default } }: { network: Network }) {
  const { project } = useProject();
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <TextLink href={paths.network(project.slug, id)} strong>
        {name}
      </TextLink>
      {is_default && <Badge>Default</Badge>}
    </span>
  );
}

/** The project's private networks. */
export default function NetworksPage() {
  const { project } = useProject();
  const state = useTableState();
  const list = useList('/api/v1/network/networks', state.query);
  const actionsOf = useNetworkActions();

  const create = <CreateLink label="Create network" href={paths.newNetwork(project.slug)} operation="createNetwork" />;
  return (
    <Page
      title="Networks"
      description="Private networks behind the project’s router. Instances on the same network can reach each other; other projects are isolated."
      actions={
        <>
          <ButtonLink href={paths.topology(project.slug)}>
            <Waypoints /> Topology
          </ButtonLink>
          {create}
        </>
      }
    >
      <DataTable
        noun="network"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        actions={actionsOf}
        empty={
          <EmptyState
            icon={NetworkIcon}
            title="No networks yet"
            action={create}
            command={`curl -X POST ${typeof window === 'undefined' ? '' : window.location.origin}/api/v1/network/networks \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "backend", "cidr": "10.20.0.0/24"}'`}
          >
            A network is a private IP range. Instances on it reach each other, and the internet through the project’s
            router.
          </EmptyState>
        }
      />
    </Page>
  );
}
