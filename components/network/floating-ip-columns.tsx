import { Id } from '@/components/kit/data/id';
import { Time } from '@/components/kit/data/time';
import { statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Holder } from './ports-table';
import type { FloatingIp } from './types';

const column = columnsOf<FloatingIp>();

/** Floating IPs and what they lead to. */
export const floatingIpColumns = [
  column.accessor('address', {
    header: 'IP address',
    cell: ({ getValue }) => (
      <span className="font-medium">
        <Id value={getValue()} label="address" full />
      </span>
    ),
  }),
  statusColumn<FloatingIp>(),
  column.accessor('instance_name', {
    header: 'Associated with',
    cell: ({ row: { original } }) =>
      original.port_id === null ? (
        <span className="text-ink-subtle">Not associated</span>
      ) : (
        <span className="inline-flex flex-wrap items-baseline gap-x-2">
          <Holder id={original.port_id} port={original} />
          <span className="font-mono text-ink-muted text-xs">{original.fixed_ip}</span>
        </span>
      ),
  }),
  column.accessor('forwards', {
    header: 'Host ports',
    meta: { from: 'lg' },
    cell: ({ row: { original } }) => <Forwards floatingIp={original} />,
  }),
  column.accessor('created_at', {
    header: 'Allocated',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

/** Ports that callers on the host find under another number, which is all an address without privileges can offer. */
function Forwards({ floatingIp: { port_id, forwards } }: { floatingIp: FloatingIp }) {
  if (port_id === null) return <span className="text-ink-subtle">–</span>;
  if (forwards.length === 0) return <span className="text-ink-subtle">Same</span>;
  return (
    <span className="font-mono text-xs">
      {forwards.map(({ port, host_port }) => `${port} at ${host_port}`).join(', ')}
    </span>
  );
}
