'use client';

import { useBackupActions } from '@/components/databases/backup-actions';
import { backupColumns } from '@/components/databases/backup-columns';
import { databaseBackups } from '@/components/databases/domain';
import { engineOptions } from '@/components/databases/engine-look';
import { backupKindLabels } from '@/components/databases/types';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { listDatabaseBackups } from '@/lib/client/operations/dbaas';

const kindOptions = Object.entries(backupKindLabels).map(([value, label]) => ({ value, label }));

/** Backups of all clusters of the project, also of those that are deleted. */
export default function DatabaseBackupsPage() {
  const { actionsOf, dialog } = useBackupActions();
  return (
    <ResourceList
      of={databaseBackups}
      list={listDatabaseBackups}
      about="Made every day and before upgrades, verified by restoring, kept for 7 days. A deleted cluster leaves a last one."
      empty="Each cluster is backed up within a day of its creation."
      columns={backupColumns}
      filters={[
        { name: 'engine', label: 'Engine', options: engineOptions },
        { name: 'kind', label: 'Kind', options: kindOptions },
        'status',
      ]}
      rowName={({ name, created_at }) => `${name}, ${created_at}`}
      actions={actionsOf}
    >
      {() => dialog}
    </ResourceList>
  );
}
