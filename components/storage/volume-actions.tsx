'use client';

import { Camera, Expand, Link2, Trash2, Unlink2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '@/components/kit/table/row-actions';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { type OperationId, useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatGigabytes } from '@/lib/format/size';
import { paths } from '@/lib/paths';
import { type Volume, type VolumeAction, whyNotVolume } from './storage-can';

const AttachDialog = lazyComponent(() => import('./attach-dialog').then((module) => module.AttachDialog));
const ResizeDialog = lazyComponent(() => import('./resize-dialog').then((module) => module.ResizeDialog));

interface VolumeActions {
  /** What can be done with a volume, for its row and for its page. */
  actionsOf: (volume: Volume) => Action[];
  /** The dialog that an action has opened; to be put on the page. */
  dialog: ReactNode;
}

export function useVolumeActions({ onDeleted }: { onDeleted?: () => void } = {}): VolumeActions {
  const { project, api } = useProject();
  const refusal = useRefusal();
  const detach = api.useMutation('post', '/api/v1/storage/volumes/{id}/detach');
  const remove = api.useMutation('delete', '/api/v1/storage/volumes/{id}');
  const [opened, setOpened] = useState<{ what: 'attach' | 'resize'; volume: Volume }>();
  const close = () => setOpened(undefined);

  const actionsOf = (volume: Volume): Action[] => {
    const { id, name, size_gb } = volume;
    const reason = (operation: OperationId, action: VolumeAction) => refusal(operation) ?? whyNotVolume(action, volume);
    return [
      {
        label: 'Attach',
        icon: Link2,
        disabledReason: reason('attachVolume', 'attach'),
        onSelect: () => setOpened({ what: 'attach', volume }),
      },
      {
        label: 'Detach',
        icon: Unlink2,
        disabledReason: reason('detachVolume', 'detach'),
        confirmation: {
          title: `Detach ${name} from ${volume.attachments[0]?.instance_name ?? 'its instance'}?`,
          consequence: 'Unmount it in the guest first, or unwritten data is lost. Data on the volume is kept.',
          confirmLabel: 'Detach volume',
          harmless: true,
          onConfirm: () => detach.mutateAsync({ params: { path: { id } }, body: {} }),
        },
      },
      {
        label: 'Resize',
        icon: Expand,
        disabledReason: reason('resizeVolume', 'resize'),
        onSelect: () => setOpened({ what: 'resize', volume }),
      },
      {
        label: 'Create snapshot',
        icon: Camera,
        disabledReason: reason('createSnapshot', 'snapshot'),
        href: paths.newSnapshot(project.slug, { volume_id: id }),
      },
      {
        label: 'Delete',
        icon: Trash2,
        danger: true,
        disabledReason: reason('deleteVolume', 'delete'),
        confirmation: {
          title: `Delete ${name}?`,
          consequence: `All data on it (${formatGigabytes(size_gb)}) is permanently deleted. Its quota is released afterwards.`,
          confirmLabel: 'Delete volume',
          typeToConfirm: name,
          onConfirm: async () => {
            await remove.mutateAsync({ params: { path: { id } } });
            onDeleted?.();
          },
        },
      },
    ];
  };

  const dialog =
    opened?.what === 'attach' ? (
      <AttachDialog subject={{ volume: opened.volume }} close={close} />
    ) : opened?.what === 'resize' ? (
      <ResizeDialog volume={opened.volume} close={close} />
    ) : null;
  return { actionsOf, dialog };
}
