'use client';

import { Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import type { CloudFunction } from './types';

/** What can be done with a function. */
export function useFunctionActions({ onDeleted }: { onDeleted?: () => void } = {}): (of: CloudFunction) => Action[] {
  const { api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/functions/{id}');
  return ({ id, name, url }) => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteFunction'),
      confirmation: {
        title: `Delete ${name}?`,
        consequence: `Its code, its versions and the history of its invocations are permanently deleted.${
          url === null ? '' : ' Its URL answers no longer.'
        }`,
        confirmLabel: 'Delete function',
        typeToConfirm: name,
        onConfirm: async () => {
          await remove.mutateAsync({ params: { path: { id } } });
          onDeleted?.();
        },
      },
    },
  ];
}
