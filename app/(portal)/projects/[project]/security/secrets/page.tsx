'use client';

import { Size } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, idColumn, nameColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { secrets } from '@/components/secrets/domain';
import { type Secret, useSecretActions } from '@/components/secrets/secret-actions';
import { secretTypeLabel, secretTypeOptions } from '@/components/secrets/types';
import { createSecret, listSecrets } from '@/lib/client/operations/vault';

const column = columnsOf<Secret>();
const columns = [
  nameColumn<Secret>(),
  column.accessor('type', {
    header: 'Type',
    cell: ({ getValue }) => secretTypeLabel(getValue()),
  }),
  statusColumn<Secret>(),
  column.accessor('size_bytes', {
    header: 'Size',
    meta: { align: 'right', from: 'md' },
    cell: ({ getValue }) => <Size bytes={getValue()} />,
  }),
  column.accessor('expires_at', {
    header: 'Expires',
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} none="never" />,
  }),
  idColumn<Secret>('secret'),
  createdColumn<Secret>(),
];

/** Secrets of the project. Values are shown one at a time, on request. */
export default function SecretsPage() {
  const { actionsOf, dialog } = useSecretActions();
  return (
    <ResourceList
      of={secrets}
      list={listSecrets}
      command={createSecret}
      about="Passwords, keys and certificates, each encrypted with its own key. Every read of a value is recorded."
      empty="Keep passwords, keys and certificates here instead of in files. The audit log shows who read them."
      columns={columns}
      filters={[{ name: 'type', label: 'Type', options: secretTypeOptions }]}
      actions={actionsOf}
    >
      {() => dialog}
    </ResourceList>
  );
}
