'use client';

import { Link2, Trash2, Unlink } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import type { FloatingIp } from './types';

/** What can be done with a floating IP; `associate` opens the choice of what it leads to. */
export function useFloatingIpActions({
  associate,
}: {
  associate: (id: string) => void;
}): (floatingIp: FloatingIp) => Action[] {
  const { api } = useProject();
  const refusal = useRefusal();
  const disassociate = api.useMutation('post', '/api/v1/network/floating-ips/{id}/disassociate');
  const release = api.useMutation('delete', '/api/v1/network/floating-ips/{id}');
  return ({ id, address, port_id, instance_name, fixed_ip }) => {
    const params = { path: { id } };
    const target = instance_name ?? fixed_ip;
    return [
      {
        label: 'Associate…',
        icon: Link2,
        disabledReason:
          refusal('associateFloatingIp') ?? (port_id === null ? undefined : `Disassociate it from ${target} first.`),
        onSelect: () => associate(id),
      },
      {
        label: 'Disassociate',
        icon: Unlink,
        disabledReason: refusal('disassociateFloatingIp') ?? (port_id === null ? 'Not associated.' : undefined),
        confirmation: {
          title: `Disassociate ${address}?`,
          consequence: `Connections to ${target} through this address end immediately. The address stays in the project.`,
          confirmLabel: 'Disassociate',
          onConfirm: () => disassociate.mutateAsync({ params, body: {} }),
        },
      },
      {
        label: 'Release',
        icon: Trash2,
        danger: true,
        disabledReason:
          refusal('releaseFloatingIp') ?? (port_id === null ? undefined : `Disassociate it from ${target} first.`),
        confirmation: {
          title: `Release ${address}?`,
          consequence:
            'The address returns to the pool and may be given to another project. Update DNS records that point to it first.',
          confirmLabel: 'Release address',
          onConfirm: () => release.mutateAsync({ params }),
        },
      },
    ];
  };
}
