'use client';

import { HardDrive, Server, Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { whyNotDelete, whyNotUse } from './image-can';
import type { Image } from './image-look';

/** What can be done with an image, for its row and for its page. */
export function useImageActions({ onDeleted }: { onDeleted?: () => void } = {}): (image: Image) => Action[] {
  const { project, api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/images/images/{id}');
  return (image) => [
    {
      label: 'Create instance',
      icon: Server,
      href: paths.newInstance(project.slug, { image_id: image.id }),
      disabledReason: refusal('createInstance') ?? whyNotUse(image),
    },
    {
      label: 'Create volume',
      icon: HardDrive,
      href: paths.newVolume(project.slug, { image_id: image.id }),
      disabledReason: refusal('createVolume') ?? whyNotUse(image),
    },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: whyNotDelete(image) ?? refusal('deleteImage'),
      confirmation: {
        title: `Delete ${image.name}?`,
        consequence: 'The image file is permanently deleted. Nothing uses the image.',
        confirmLabel: 'Delete image',
        typeToConfirm: image.name,
        onConfirm: async () => {
          await remove.mutateAsync({ params: { path: { id: image.id } } });
          onDeleted?.();
        },
      },
    },
  ];
}
