'use client';

import { Plus } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { floatingIps } from '@/components/network/domain';
import { useFloatingIpActions } from '@/components/network/floating-ip-actions';
import { floatingIpColumns } from '@/components/network/floating-ip-columns';
import { useMay } from '@/lib/client/may';
import { allocateFloatingIp, listFloatingIps } from '@/lib/client/operations/network';
import { useProject } from '@/lib/client/project';

const AssociateDialog = lazyComponent(() =>
  import('@/components/network/associate-dialog').then((module) => module.AssociateDialog),
);

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
      columns={floatingIpColumns}
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
