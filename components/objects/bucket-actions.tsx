'use client';

import { Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import type { Bucket } from './types';

/** The actions of a bucket. */
export function useBucketActions({ onDeleted }: { onDeleted?: () => void } = {}): (bucket: Bucket) => Action[] {
  const { api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/storage/buckets/{name}');
  return ({ name, objects, used_bytes }) => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason:
        refusal('deleteBucket') ??
        (objects > 0 || used_bytes > 0
          ? 'The bucket is not empty. Delete its objects, old versions and unfinished uploads first.'
          : undefined),
      confirmation: {
        title: `Delete ${name}?`,
        consequence:
          'Clients that still use the bucket will fail, and another project can take its name. Access keys that are limited to it are deleted, too.',
        confirmLabel: 'Delete bucket',
        typeToConfirm: name,
        onConfirm: async () => {
          await remove.mutateAsync({ params: { path: { name } } });
          onDeleted?.();
        },
      },
    },
  ];
}
