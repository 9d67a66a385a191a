'use client';

import { Id } from '@/components/kit/data/id';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { createdColumn, idColumn, nameColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { FloatingAddress } from '@/components/network/ports-table';
import { TextLink } from '@/components/network/text-link';
import { useList } from '@/lib/client/list';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type LoadBalancer, statusOf } from './types';

const column = columnsOf<LoadBalancer>();

/** The columns of every table of load balancers. */
export const loadBalancerColumns = [
  nameColumn<LoadBalancer>({ href: paths.loadBalancer }),
  column.accessor(statusOf, {
    id: 'status',
    header: 'Status',
    cell: ({ row: { original }, getValue }) => <StatusBadge status={getValue()} reason={original.status_reason} />,
  }),
  column.accessor('vip_address', {
    header: 'Virtual IP',
    cell: ({ getValue }) => <Id value={getValue()} label="virtual IP" full />,
  }),
  column.accessor('floating_ip', {
    header: 'Floating IP',
    cell: ({ getValue }) => <FloatingAddress address={getValue()} />,
  }),
  column.accessor('listeners', {
    header: 'Listeners',
    cell: ({ getValue }) => (
      <span className="text-xs">
        {getValue()
          .map(({ protocol, port }) => `${protocol} ${port}`)
          .join(', ')}
      </span>
    ),
  }),
  column.accessor('network_id', {
    id: 'network',
    header: 'Network',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <NetworkName id={getValue()} />,
  }),
  idColumn<LoadBalancer>('load balancer'),
  createdColumn<LoadBalancer>({ from: 'md' }),
];

/** A network by its name, as a link. */
export function NetworkName({ id }: { id: string }) {
  const { project } = useProject();
  const networks = useList('/api/v1/network/networks', { limit: 200, sort: 'name' });
  return (
    <TextLink href={paths.network(project.slug, id)}>
      {networks.data?.rows.find((network) => network.id === id)?.name ?? id}
    </TextLink>
  );
}
