'use client';

import type { ReactNode } from 'react';
import { Id } from '@/components/kit/data/id';
import { ResourceTable } from '@/components/kit/resource/resource-table';
import { statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { LoadBalancerOfPort } from '@/components/loadbalancing/load-balancer-of-port';
import { listPorts } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { ports } from './domain';
import { holderOf } from './port-holder';
import { TextLink } from './text-link';
import type { Port } from './types';

const column = columnsOf<Port>();
/** What every table of ports shows. */
export const portColumns = [
  column.accessor('ip', { header: 'IP address', cell: ({ row: { original } }) => <PortLink port={original} /> }),
  column.accessor('instance_name', {
    header: 'Attached to',
    cell: ({ row: { original } }) => <Holder id={original.id} port={original} />,
  }),
  statusColumn<Port>(),
  column.accessor('network_name', {
    header: 'Network',
    meta: { from: 'md' },
    cell: ({ row: { original } }) => <NetworkLink port={original} />,
  }),
  column.accessor('floating_ip', {
    header: 'Floating IP',
    cell: ({ getValue }) => <FloatingAddress address={getValue()} />,
  }),
  column.accessor('mac', {
    header: 'MAC',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Id value={getValue()} label="MAC address" full />,
  }),
];

/** The address of a port, which leads to its page. */
function PortLink({ port: { id, ip } }: { port: Port }) {
  const { project } = useProject();
  return (
    <span className="font-mono text-xs">
      <TextLink href={paths.port(project.slug, id)} strong>
        {ip}
      </TextLink>
    </span>
  );
}

/** A port, or what a floating IP says about the port it is associated with. */
type HeldPort = Pick<Port, 'instance_id' | 'instance_name'> & Partial<Pick<Port, 'attached_to'>>;

/** A link to the instance that has a port, or to the load balancer whose virtual IP it is; the words for anything else. */
export function Holder({ id, port }: { id: string; port: HeldPort }) {
  const { project } = useProject();
  const { instance_id, instance_name, attached_to } = port;
  if (instance_id === null)
    return <LoadBalancerOfPort portId={id} otherwise={attached_to ? holderOf({ attached_to }) : 'Another port'} />;
  return <TextLink href={paths.instance(project.slug, instance_id)}>{instance_name}</TextLink>;
}

export function NetworkLink({ port }: { port: Pick<Port, 'network_id' | 'network_name'> }) {
  const { project } = useProject();
  return <TextLink href={paths.network(project.slug, port.network_id)}>{port.network_name}</TextLink>;
}

/** The address under which the outside reaches a port. */
export function FloatingAddress({ address }: { address: string | null }) {
  const { project } = useProject();
  if (address === null) return <span className="text-ink-subtle">–</span>;
  return (
    <span className="font-mono text-xs">
      <TextLink href={paths.floatingIps(project.slug, { search: address })}>{address}</TextLink>
    </span>
  );
}

interface PortsOfProps {
  network_id?: string;
  security_group_id?: string;
  emptyTitle?: string;
  empty: string;
  create?: ReactNode;
}

const withoutNetwork = portColumns.filter((each) => each !== portColumns[3]);

/** The ports of one network, or of one security group, with what holds them. */
export function PortsOf({ network_id, security_group_id, ...words }: PortsOfProps) {
  return (
    <ResourceTable
      of={ports}
      list={listPorts}
      query={{ network_id, security_group_id }}
      columns={network_id === undefined ? portColumns : withoutNetwork}
      filters={['status']}
      rowName={({ ip }) => ip}
      {...words}
    />
  );
}
