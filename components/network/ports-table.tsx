'use client';

import { Cable } from 'lucide-react';
import type { ReactNode } from 'react';
import { Id } from '@/components/kit/data/id';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { EmptyState } from '@/components/kit/page/empty-state';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { TextLink } from './text-link';
import type { Port } from './types';

const column = columnsOf<Port>();
const columns = [
  column.accessor('ip', { header: 'IP address', cell: ({ row: { original } }) => <PortLink port={original} /> }),
  column.accessor('instance_name', {
    header: 'Attached to',
    cell: ({ row: { original } }) => <Holder port={original} />,
  }),
  column.accessor('status', { header: 'Status', cell: ({ getValue }) => <StatusBadge status={getValue()} /> }),
  column.accessor('network_name', {
    header: 'Network',
    meta: { from: 'md' },
    cell: ({ row: { original } }) => <NetworkLink port={original} />,
  }),
  column.accessor('floating_ip', {
    header: 'Floating IP',
    meta: { from: 'sm' },
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

/** What has a port: an instance, by its name. */
export function Holder({ port }: { port: Pick<Port, 'instance_id' | 'instance_name'> }) {
  const { project } = useProject();
  if (port.instance_id === null) return <span className="text-ink-subtle">–</span>;
  return <TextLink href={paths.instance(project.slug, port.instance_id)}>{port.instance_name}</TextLink>;
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

interface PortsTableProps {
  /** Only the ports of these. */
  of?: { network_id: string } | { security_group_id: string };
  /** What stands there while there is none. */
  empty?: ReactNode;
}

/** Ports with what holds them: all of the project's, of one network, or of one security group. */
export function PortsTable({ of, empty }: PortsTableProps) {
  const state = useTableState(['status']);
  const list = useList('/api/v1/network/ports', { ...state.query, sort: undefined, ...of });
  const inNetwork = of !== undefined && 'network_id' in of;
  return (
    <DataTable
      noun="port"
      list={list}
      state={state}
      columns={inNetwork ? columns.filter((each) => each !== networkColumn) : columns}
      rowName={({ ip }) => ip}
      filters={[
        {
          name: 'status',
          label: 'Status',
          options: [
            { value: 'active', label: 'Active' },
            { value: 'down', label: 'Down' },
          ],
        },
      ]}
      empty={
        empty ?? (
          <EmptyState icon={Cable} title="No ports yet">
            A port is a virtual network interface with an IP and a MAC address. Each instance gets one when it is
            created.
          </EmptyState>
        )
      }
    />
  );
}

const networkColumn = columns[3];
