'use client';

import { Trash2 } from 'lucide-react';
import { useConfirm } from '@/components/page/confirm';
import type { Action } from '@/components/table/row-actions';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import { type Network, readersCannot } from './types';

/** What can be done with a network. */
export function useNetworkActions({ onDeleted }: { onDeleted?: () => void } = {}): (network: Network) => Action[] {
  const { project, api } = useProject();
  const confirm = useConfirm();
  const remove = api.useMutation('delete', '/api/v1/network/networks/{id}');
  return ({ id, name, cidr, port_count, is_default }) => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason:
        project.role === 'reader'
          ? readersCannot
          : port_count > 0
            ? `It has ${formatCount(port_count, 'port')}: delete the instances that are on it first.`
            : undefined,
      onSelect: () =>
        confirm({
          title: `Delete network ${name}?`,
          consequence: `The range ${cidr} and its gateway on the router go; nothing else is on it.${
            is_default ? ' It is the project’s default network: none takes its place by itself.' : ''
          } A network with the same range can be created again.`,
          confirmLabel: 'Delete network',
          onConfirm: async () => {
            await remove.mutateAsync({ params: { path: { id } } });
            onDeleted?.();
          },
        }),
    },
  ];
}
