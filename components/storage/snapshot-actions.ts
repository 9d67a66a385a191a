'use client';

import { HardDrive, Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';
import { type Snapshot, whyNotDeleteSnapshot, whyNotRestore } from './storage-can';

/** What can be done with a snapshot. */
export function useSnapshotActions(): (snapshot: Snapshot) => Action[] {
  const { project, api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/storage/snapshots/{id}');
  return (snapshot) => [
    {
      label: 'Create volume',
      icon: HardDrive,
      href: paths.newVolume(project.slug, { snapshot_id: snapshot.id }),
      disabledReason: refusal('createVolume') ?? whyNotRestore(snapshot),
    },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteSnapshot') ?? whyNotDeleteSnapshot(snapshot),
      confirmation: {
        title: `Delete ${snapshot.name}?`,
        consequence: `This state of ${snapshot.volume_name} is permanently deleted. Volumes created from the snapshot are kept.`,
        confirmLabel: 'Delete snapshot',
        onConfirm: () => remove.mutateAsync({ params: { path: { id: snapshot.id } } }),
      },
    },
  ];
}
