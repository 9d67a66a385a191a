'use client';

import { Plus } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Id } from '@/components/kit/data/id';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { floatingIps } from '@/components/network/domain';
import { useFloatingIpActions } from '@/components/network/floating-ip-actions';
import { Holder } from '@/components/network/ports-table';
import type { FloatingIp } from '@/components/network/types';
import { useMay } from '@/lib/client/may';
import { allocateFloatingIp, listFloatingIps } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';

const AssociateDialog = lazyComponent(() =>
  import('@/components/network/associate-dialog').then((module) => module.AssociateDialog),
);

const column = columnsOf<FloatingIp>();
const columns = [
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
          <Holder port={original} />
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

/** The project's public addresses, and what each leads to. */
export default function FloatingIpsPage() {
  const { api } = useProject();
  const may = useMay('allocateFloatingIp');
  const allocate = api.useMutation('post', '/api/v1/network/floating-ips');
  const asked = useSearchParams().get('associate');
  const actionsOf = useFloatingIpActions({ associate });
  return (
    <ResourceList
      of={floatingIps}
      list={listFloatingIps}
      command={allocateFloatingIp}
      about="Public IP addresses of the project. Associate each with an instance, and move it at any time."
      empty="Instances have private addresses. A floating IP makes an instance reachable from the internet, as its security groups allow."
      create={
        <DisabledReason reason={may.reason}>
          <Button variant="primary" pending={allocate.isPending} onClick={() => allocate.mutate({ body: {} })}>
            <Plus /> Allocate floating IP
          </Button>
        </DisabledReason>
      }
      above={
        allocate.error !== null && (
          <div className="mb-4">
            <ErrorNotice title="No floating IP could be allocated" error={allocate.error} />
          </div>
        )
      }
      columns={columns}
      filters={['status']}
      rowName={({ address }) => address}
      actions={actionsOf}
    >
      {(rows) => {
        const shown = rows.find(({ id, port_id }) => id === asked && port_id === null);
        return shown && <AssociateDialog key={shown.id} floatingIp={shown} close={() => associate(undefined)} />;
      }}
    </ResourceList>
  );
}

/** The choice stands in the address, beside the list's own state. */
function associate(id: string | undefined) {
  const address = new URL(window.location.href);
  if (id) address.searchParams.set('associate', id);
  else address.searchParams.delete('associate');
  window.history.replaceState(null, '', address);
}
