'use client';

import { KeyRound, Trash2 } from 'lucide-react';
import { Id } from '@/components/kit/data/id';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { type Row, useList } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const column = columnsOf<Row<'/api/v1/compute/keypairs'>>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ getValue }) => <span className="font-medium">{getValue()}</span>,
  }),
  column.accessor('type', { header: 'Type', meta: { from: 'sm' } }),
  column.accessor('fingerprint', {
    header: 'Fingerprint',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Id value={getValue()} label="fingerprint" />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'sm' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

/** SSH keys that new instances can let in. */
export default function KeyPairsPage() {
  const { project, api } = useProject();
  const confirm = useConfirm();
  const state = useTableState();
  const list = useList('/api/v1/compute/keypairs', state.query);
  const remove = api.useMutation('delete', '/api/v1/compute/keypairs/{id}');
  const may = useMay('deleteKeyPair');
  const create = <CreateLink label="Add key pair" href={paths.newKeyPair(project.slug)} operation="createKeyPair" />;
  return (
    <Page
      title="Key pairs"
      description="SSH keys for signing in to new instances. Only public keys are stored."
      actions={create}
    >
      <DataTable
        noun="key pair"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
        actions={({ id, name }) => [
          {
            label: 'Delete',
            icon: Trash2,
            danger: true,
            disabledReason: may.reason,
            onSelect: () =>
              confirm({
                title: `Delete ${name}?`,
                consequence: 'New instances can no longer use this key pair. Existing instances keep the key.',
                confirmLabel: 'Delete key pair',
                onConfirm: () => remove.mutateAsync({ params: { path: { id } } }),
              }),
          },
        ]}
        empty={
          <EmptyState
            icon={KeyRound}
            title="No key pairs yet"
            action={create}
            command={`curl -X POST ${typeof window === 'undefined' ? '' : window.location.origin}/api/v1/compute/keypairs \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "laptop", "public_key": "ssh-ed25519 …"}'`}
          >
            Sign in to your instances over SSH without a password. Import a key or generate a new one.
          </EmptyState>
        }
      />
    </Page>
  );
}
