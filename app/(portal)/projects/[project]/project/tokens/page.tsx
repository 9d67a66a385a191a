'use client';

import { KeySquare, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { ButtonLink } from '@/components/kit/ui/button';
import { roleLabel } from '@/components/members/roles';
import { type Row, useList } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

type Token = Row<'/api/v1/auth/tokens'> & { user_email?: string };

const column = columnsOf<Token>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <span>
        <span className="block font-medium leading-4">{original.name}</span>
        <span className="font-mono text-ink-muted text-xs">{original.prefix}…</span>
      </span>
    ),
  }),
  column.accessor('role', { header: 'Role', cell: ({ getValue }) => roleLabel(getValue()) }),
  column.accessor('status', { header: 'Status', cell: ({ getValue }) => <StatusBadge status={getValue()} /> }),
  column.accessor('expires_at', {
    header: 'Expires',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} none="never" />,
  }),
  column.accessor('last_used_at', {
    header: 'Last used',
    meta: { from: 'sm' },
    cell: ({ getValue }) => <Time at={getValue()} none="never" />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];
const maker = column.accessor((token) => token.user_email ?? '', {
  id: 'maker',
  header: 'Created by',
  meta: { from: 'md' },
});

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'expired', label: 'Expired' },
];

/** Tokens for scripts: one's own, and for admins those of everybody (`?of=all`). */
export default function TokensPage() {
  const { project } = useProject();
  const state = useTableState(['status', 'of']);
  const mayListAll = useMay('listProjectTokens').allowed;
  const everyone = mayListAll && state.filter('of') === 'all';
  const create = <CreateLink label="Create token" href={paths.newToken(project.slug)} operation="createToken" />;
  return (
    <Page
      title="API tokens"
      description="Credentials for scripts in this project. A token has a role, which never exceeds the role of its creator."
      actions={
        <>
          {mayListAll && (
            <ButtonLink href={everyone ? paths.tokens(project.slug) : paths.allTokens(project.slug)}>
              {everyone ? 'My tokens' : 'All tokens'}
            </ButtonLink>
          )}
          {create}
        </>
      }
    >
      {everyone ? <TokensOfAll /> : <OwnTokens create={create} />}
    </Page>
  );
}

function OwnTokens({ create }: { create: ReactNode }) {
  const { api } = useProject();
  const state = useTableState(['status']);
  const list = useList('/api/v1/auth/tokens', state.query);
  const revoke = api.useMutation('delete', '/api/v1/auth/tokens/{id}');
  const actions = useRevocation((id) => revoke.mutateAsync({ params: { path: { id } } }));
  return (
    <DataTable
      noun="token"
      list={list}
      state={state}
      columns={columns}
      rowName={({ name }) => name}
      filters={[{ name: 'status', label: 'Status', options: statuses }]}
      actions={actions}
      empty={
        <EmptyState icon={KeySquare} title="No tokens yet" action={create}>
          Scripts authenticate with API tokens. Each has a role and an expiry, and can be revoked at any time.
        </EmptyState>
      }
    />
  );
}

function TokensOfAll() {
  const { api } = useProject();
  const state = useTableState(['status']);
  const list = useList('/api/v1/identity/tokens', state.query);
  const revoke = api.useMutation('delete', '/api/v1/identity/tokens/{id}');
  const actions = useRevocation((id) => revoke.mutateAsync({ params: { path: { id } } }));
  return (
    <DataTable
      noun="token"
      list={list}
      state={state}
      columns={[...columns.slice(0, 1), maker, ...columns.slice(1)]}
      rowName={({ name }) => name}
      filters={[{ name: 'status', label: 'Status', options: statuses }]}
      actions={actions}
      empty={
        <EmptyState icon={KeySquare} title="No tokens yet">
          Tokens of all members of this project are listed here.
        </EmptyState>
      }
    />
  );
}

/** The one thing that can be done with a token. */
function useRevocation(revoke: (id: string) => Promise<unknown>) {
  const confirm = useConfirm();
  return ({ id, name }: Token) => [
    {
      label: 'Revoke',
      icon: Trash2,
      danger: true,
      onSelect: () =>
        confirm({
          title: `Revoke ${name}?`,
          consequence: 'Requests with this token fail immediately. This cannot be undone.',
          confirmLabel: 'Revoke token',
          onConfirm: () => revoke(id),
        }),
    },
  ];
}
