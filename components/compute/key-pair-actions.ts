'use client';

import { Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';

/** What can be done with a key pair. */
export function useKeyPairActions(): (keyPair: { id: string; name: string }) => Action[] {
  const { api } = useProject();
  const may = useMay('deleteKeyPair');
  const remove = api.useMutation('delete', '/api/v1/compute/keypairs/{id}');
  return ({ id, name }) => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: may.reason,
      confirmation: {
        title: `Delete ${name}?`,
        consequence: 'New instances can no longer use this key pair. Existing instances keep the key.',
        confirmLabel: 'Delete key pair',
        onConfirm: () => remove.mutateAsync({ params: { path: { id } } }),
      },
    },
  ];
}
