'use client';

import { Eye, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Size } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, idColumn, nameColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { secrets } from '@/components/secrets/domain';
import { secretTypeLabel, secretTypeOptions } from '@/components/secrets/types';
import type { Row } from '@/lib/client/list';
import { useRefusal } from '@/lib/client/may';
import { createSecret, listSecrets } from '@/lib/client/operations/vault';
import { useProject } from '@/lib/client/project';

const SecretDialog = lazyComponent(() =>
  import('@/components/secrets/secret-dialog').then((module) => module.SecretDialog),
);

type Secret = Row<'/api/v1/vault/secrets'>;

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
  const { api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/vault/secrets/{id}');
  const [shown, setShown] = useState<Secret>();
  return (
    <ResourceList
      of={secrets}
      list={listSecrets}
      command={createSecret}
      about="Passwords, keys and certificates, each encrypted with its own key. Every read of a value is recorded."
      empty="Keep passwords, keys and certificates here instead of in files. The audit log shows who read them."
      columns={columns}
      filters={[{ name: 'type', label: 'Type', options: secretTypeOptions }]}
      actions={(secret) => [
        {
          label: 'Show value',
          icon: Eye,
          disabledReason: refusal('readSecretPayload'),
          onSelect: () => setShown(secret),
        },
        {
          label: 'Delete',
          icon: Trash2,
          danger: true,
          disabledReason: refusal('deleteSecret'),
          confirmation: {
            title: `Delete ${secret.name}?`,
            consequence: 'The value is permanently deleted. Applications that still read it will fail.',
            confirmLabel: 'Delete secret',
            typeToConfirm: secret.name,
            onConfirm: () => remove.mutateAsync({ params: { path: { id: secret.id } } }),
          },
        },
      ]}
    >
      {() => shown && <SecretDialog key={shown.id} secret={shown} close={() => setShown(undefined)} />}
    </ResourceList>
  );
}
