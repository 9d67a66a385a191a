'use client';

import { Eye, Trash2, Vault } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Size } from '@/components/kit/data/amounts';
import { Id } from '@/components/kit/data/id';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { whenReachable } from '@/components/kit/ui/when-reachable';
import { secretTypeLabel, secretTypeOptions } from '@/components/secrets/types';
import { type Row, useList } from '@/lib/client/list';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const SecretDialog = dynamic(() =>
  whenReachable(() => import('@/components/secrets/secret-dialog').then((module) => module.SecretDialog)),
);

type Secret = Row<'/api/v1/vault/secrets'>;

const column = columnsOf<Secret>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ getValue }) => <span className="font-medium">{getValue()}</span>,
  }),
  column.accessor('type', {
    header: 'Type',
    meta: { from: 'sm' },
    cell: ({ getValue }) => secretTypeLabel(getValue()),
  }),
  column.accessor('status', { header: 'Status', cell: ({ getValue }) => <StatusBadge status={getValue()} /> }),
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
  column.accessor('id', {
    header: 'ID',
    meta: { from: 'xl' },
    cell: ({ getValue }) => <Id value={getValue()} label="secret ID" />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'sm' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

/** Secrets of the project: what is kept, and since when. Values are shown one at a time, on request. */
export default function SecretsPage() {
  const { project, api } = useProject();
  const confirm = useConfirm();
  const state = useTableState(['type']);
  const list = useList('/api/v1/vault/secrets', state.query);
  const remove = api.useMutation('delete', '/api/v1/vault/secrets/{id}');
  const [shown, setShown] = useState<Secret>();
  const refusal = useRefusal();

  const create = <CreateLink label="Create secret" href={paths.newSecret(project.slug)} operation="createSecret" />;
  return (
    <Page
      title="Secrets"
      description="Passwords, keys and certificates, each encrypted with its own key. Every read of a value is recorded."
      actions={create}
    >
      <DataTable
        noun="secret"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
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
            onSelect: () =>
              confirm({
                title: `Delete ${secret.name}?`,
                consequence: 'The value is permanently deleted. Applications that still read it will fail.',
                confirmLabel: 'Delete secret',
                typeToConfirm: secret.name,
                onConfirm: () => remove.mutateAsync({ params: { path: { id: secret.id } } }),
              }),
          },
        ]}
        empty={
          <EmptyState
            icon={Vault}
            title="No secrets yet"
            action={create}
            command={`curl -X POST ${typeof window === 'undefined' ? '' : window.location.origin}/api/v1/vault/secrets \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "db-password", "type": "passphrase", "payload": "…"}'`}
          >
            Keep passwords, keys and certificates here instead of in files. The audit log shows who read them.
          </EmptyState>
        }
      />
      {shown && <SecretDialog key={shown.id} secret={shown} close={() => setShown(undefined)} />}
    </Page>
  );
}
