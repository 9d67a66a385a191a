'use client';

import { Download, Eye, Link2, PencilLine, Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { notify } from '@/components/kit/ui/notify';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import type { Bucket, StoredObject } from './types';
import { fileName } from './types';
import { useReread } from './use-objects';

/** The dialog that is open, and for which object. */
export type Opened = { what: 'preview' | 'share' | 'rename'; key: string };

/** What can be done with an object. */
export function useObjectActions(
  { name, versioning }: Bucket,
  open: (opened: Opened) => void,
): (object: StoredObject) => Action[] {
  const { api } = useProject();
  const refusal = useRefusal();
  const reread = useReread(name);
  const presign = api.useMutation('post', '/api/v1/storage/buckets/{name}/objects/presign');
  const remove = api.useMutation('post', '/api/v1/storage/buckets/{name}/objects/delete');
  const params = { path: { name } };
  return ({ key }) => [
    {
      label: 'Preview',
      icon: Eye,
      disabledReason: refusal('presignObject'),
      onSelect: () => open({ what: 'preview', key }),
    },
    {
      label: 'Download',
      icon: Download,
      disabledReason: refusal('presignObject'),
      onSelect: () =>
        void presign.mutateAsync({ params, body: { key, method: 'GET', expires_in: 300, download: true } }).then(
          ({ url }) => window.location.assign(url),
          () => notify('error', `${fileName(key)} could not be downloaded`),
        ),
    },
    {
      label: 'Share',
      icon: Link2,
      disabledReason: refusal('presignObject'),
      onSelect: () => open({ what: 'share', key }),
    },
    {
      label: 'Rename',
      icon: PencilLine,
      disabledReason: refusal('copyObject'),
      onSelect: () => open({ what: 'rename', key }),
    },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteObjects'),
      confirmation: {
        title: `Delete ${fileName(key)}?`,
        consequence:
          versioning === 'enabled'
            ? 'The object is hidden. Its versions stay until they are deleted.'
            : 'The object is deleted for good.',
        confirmLabel: 'Delete object',
        onConfirm: async () => {
          await remove.mutateAsync({ params, body: { keys: [key] } });
          await reread();
        },
      },
    },
  ];
}
