'use client';

import { Trash2 } from 'lucide-react';
import { useConfirm } from '@/components/page/confirm';
import type { Action } from '@/components/table/row-actions';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import type { SecurityGroup } from './rules';
import { readersCannot } from './types';

/** What can be done with a security group. */
export function useSecurityGroupActions({
  onDeleted,
}: {
  onDeleted?: () => void;
} = {}): (group: SecurityGroup) => Action[] {
  const { project, api } = useProject();
  const confirm = useConfirm();
  const remove = api.useMutation('delete', '/api/v1/network/security-groups/{id}');
  return ({ id, name, rules, port_count, is_default }) => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason:
        project.role === 'reader'
          ? readersCannot
          : is_default
            ? 'The default group belongs to the project.'
            : port_count > 0
              ? `${formatCount(port_count, 'port')} ${port_count === 1 ? 'carries' : 'carry'} it: take it off first.`
              : undefined,
      onSelect: () =>
        confirm({
          title: `Delete security group ${name}?`,
          consequence: `Its ${formatCount(rules.length, 'rule')} ${rules.length === 1 ? 'goes' : 'go'} with it. No port carries it, so no traffic changes.`,
          confirmLabel: 'Delete group',
          onConfirm: async () => {
            await remove.mutateAsync({ params: { path: { id } } });
            onDeleted?.();
          },
        }),
    },
  ];
}
