'use client';

import { Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { type Layer, whyNotOwn } from './types';

/** What can be done with a layer. */
export function useLayerActions({ onDeleted }: { onDeleted?: () => void } = {}): (layer: Layer) => Action[] {
  const { api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/layers/{id}');
  return (layer) => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteLayer') ?? whyNotOwn(layer),
      confirmation: {
        title: `Delete ${layer.name}?`,
        consequence: 'No function can choose its versions any more. Functions that use one keep it.',
        confirmLabel: 'Delete layer',
        typeToConfirm: layer.name,
        onConfirm: async () => {
          await remove.mutateAsync({ params: { path: { id: layer.id } } });
          onDeleted?.();
        },
      },
    },
  ];
}
