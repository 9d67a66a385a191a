'use client';

import { Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import type { Network } from './types';

/** What can be done with a network. */
export function useNetworkActions({ onDeleted }: { onDeleted?: () => void } = {}): (network: Network) => Action[] {
  const { api } = useProject();
  const may = useMay('deleteNetwork');
  const remove = api.useMutation('delete', '/api/v1/network/networks/{id}');
  return ({ id, name, cidr, port_count, is_default }) => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason:
        may.reason ??
        (port_count > 0
          ? `Delete the instances and load balancers on this network first (${formatCount(port_count, 'port')}).`
          : undefined),
      confirmation: {
        title: `Delete network ${name}?`,
        consequence: `The network ${cidr} and its gateway on the router are deleted.${
          is_default ? ' This is the project’s default network. No other network becomes the default.' : ''
        }`,
        confirmLabel: 'Delete network',
        onConfirm: async () => {
          await remove.mutateAsync({ params: { path: { id } } });
          onDeleted?.();
        },
      },
    },
  ];
}
