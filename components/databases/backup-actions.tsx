'use client';

import { History, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Action } from '@/components/kit/table/row-actions';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatMoment } from '@/lib/format/time';
import { momentOf, whyNotDeleteBackup, whyNotRestore } from './backup-look';
import type { RestoreSource } from './restore-values';
import type { Backup, Cluster } from './types';

const RestoreDialog = lazyComponent(() => import('./restore-dialog').then((module) => module.RestoreDialog));

/** The actions of a backup, and the dialog that restores: a backup, or a moment of a cluster. */
export function useBackupActions(): {
  actionsOf: (backup: Backup) => Action[];
  restoreTo: (cluster: Cluster, at: Date | undefined) => void;
  dialog: ReactNode;
} {
  const { api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/dbaas/backups/{id}');
  const [source, setSource] = useState<RestoreSource>();
  const actionsOf = (backup: Backup): Action[] => [
    {
      label: 'Restore',
      icon: History,
      disabledReason: refusal('createPostgresCluster') ?? whyNotRestore(backup),
      onSelect: () => setSource({ backup }),
    },
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteDatabaseBackup') ?? whyNotDeleteBackup(backup),
      confirmation: {
        title: `Delete the backup of ${backup.name}?`,
        consequence: `The backup of ${formatMoment(momentOf(backup))} is destroyed. The cluster and its other backups stay.`,
        confirmLabel: 'Delete backup',
        onConfirm: () => remove.mutateAsync({ params: { path: { id: backup.id } } }),
      },
    },
  ];
  return {
    actionsOf,
    restoreTo: (cluster, at) => setSource({ cluster, at }),
    dialog: source && <RestoreDialog source={source} close={() => setSource(undefined)} />,
  };
}
