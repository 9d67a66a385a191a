'use client';

import { Link2, PencilRuler, Trash2, Unlink } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '@/components/kit/table/row-actions';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { paths } from '@/lib/paths';
import { type LoadBalancer, whyNotChange } from './types';

const FloatingIpDialog = lazyComponent(() =>
  import('@/components/network/floating-ip-dialog').then((module) => module.FloatingIpDialog),
);

/** The actions of a load balancer; and the dialog that an action has opened. */
export function useLoadBalancerActions({ onDeleted }: { onDeleted?: () => void } = {}): {
  actionsOf: (balancer: LoadBalancer) => Action[];
  dialog: ReactNode;
} {
  const { api, client, project } = useProject();
  const refusal = useRefusal();
  const disassociate = api.useMutation('post', '/api/v1/network/floating-ips/{id}/disassociate');
  const remove = api.useMutation('delete', '/api/v1/lbaas/loadbalancers/{id}');
  const [associating, setAssociating] = useState<LoadBalancer>();

  const release = async ({ floating_ip, vip_port_id }: LoadBalancer) => {
    const query = { search: floating_ip ?? '' };
    const { data = [] } = await client.GET('/api/v1/network/floating-ips', { params: { query } });
    const found = data.find(({ port_id }) => port_id === vip_port_id);
    // Without a match, it has been disassociated meanwhile.
    if (found) await disassociate.mutateAsync({ params: { path: { id: found.id } }, body: {} });
  };

  const actionsOf = (balancer: LoadBalancer): Action[] => {
    const { id, name, floating_ip, provisioning_status } = balancer;
    const deleting = provisioning_status === 'pending_delete' ? whyNotChange(balancer) : undefined;
    return [
      {
        label: 'Edit',
        icon: PencilRuler,
        disabledReason: refusal('replaceLoadBalancer') ?? whyNotChange(balancer),
        href: paths.editLoadBalancer(project.slug, id),
      },
      {
        label: 'Associate floating IP',
        icon: Link2,
        disabledReason:
          refusal('associateFloatingIp') ??
          deleting ??
          (floating_ip === null ? undefined : `Already associated with ${floating_ip}.`),
        onSelect: () => setAssociating(balancer),
      },
      {
        label: 'Disassociate floating IP',
        several: (things) => `Disassociate floating IPs from ${things}`,
        icon: Unlink,
        disabledReason:
          refusal('disassociateFloatingIp') ?? (floating_ip === null ? 'No floating IP is associated.' : undefined),
        confirmation: {
          title: `Disassociate ${floating_ip} from ${name}?`,
          consequence: 'Connections through this address end immediately. The address stays in the project.',
          confirmLabel: 'Disassociate',
          harmless: true,
          onConfirm: () => release(balancer),
        },
      },
      {
        label: 'Delete',
        icon: Trash2,
        danger: true,
        disabledReason: refusal('deleteLoadBalancer') ?? deleting,
        confirmation: {
          title: `Delete ${name}?`,
          consequence: consequenceOf(balancer),
          confirmLabel: 'Delete load balancer',
          typeToConfirm: name,
          onConfirm: async () => {
            await remove.mutateAsync({ params: { path: { id } } });
            onDeleted?.();
          },
        },
      },
    ];
  };
  const dialog = associating && (
    <FloatingIpDialog
      key={associating.id}
      noun="load balancer"
      name={associating.name}
      port={{ id: associating.vip_port_id }}
      close={() => setAssociating(undefined)}
    />
  );
  return { actionsOf, dialog };
}

/** What is lost and what stays. */
function consequenceOf({ vip_address, listeners, floating_ip }: LoadBalancer): string {
  const address = floating_ip === null ? '' : ` The floating IP ${floating_ip} stays in the project, not associated.`;
  return `All connections to ${vip_address} end. The virtual IP, both nodes and ${formatCount(listeners.length, 'listener')} with their pools are deleted. Instances that are members stay.${address}`;
}
