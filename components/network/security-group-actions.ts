'use client';

import { Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatCount } from '@/lib/format/quantity';
import type { SecurityGroup } from './rules';

/** What can be done with a security group. */
export function useSecurityGroupActions({
  onDeleted,
}: {
  onDeleted?: () => void;
} = {}): (group: SecurityGroup) => Action[] {
  const { api } = useProject();
  const may = useMay('deleteSecurityGroup');
  const remove = api.useMutation('delete', '/api/v1/network/security-groups/{id}');
  return ({ id, name, rules, port_count, is_default }) => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason:
        may.reason ??
        (is_default
          ? 'The default security group cannot be deleted.'
          : port_count > 0
            ? `Remove the group from ${formatCount(port_count, 'port')} first.`
            : undefined),
      confirmation: {
        title: `Delete security group ${name}?`,
        consequence: `Its ${formatCount(rules.length, 'rule')} ${rules.length === 1 ? 'is' : 'are'} deleted too. No port uses it, so no traffic is affected.`,
        confirmLabel: 'Delete security group',
        onConfirm: async () => {
          await remove.mutateAsync({ params: { path: { id } } });
          onDeleted?.();
        },
      },
    },
  ];
}
