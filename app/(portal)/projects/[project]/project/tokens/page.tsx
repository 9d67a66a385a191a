'use client';

import { Trash2 } from 'lucide-react';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createdColumn, statusColumn } from '@/components/kit/table/columns';
import { columnsOf } from '@/components/kit/table/data-table';
import { ButtonLink } from '@/components/kit/ui/button';
import { roleLabel } from '@/components/members/roles';
import { tokens } from '@/components/tokens/domain';
import type { Row } from '@/lib/client/list';
import { type OperationId, useMay } from '@/lib/client/may';
import { createToken, listTokens } from '@/lib/client/operations/auth';
import { listProjectTokens } from '@/lib/client/operations/identity';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

type Token = Row<'/api/v1/auth/tokens'>;
type ProjectToken = Row<'/api/v1/identity/tokens'>;

/** What both tables show; one's own tokens and those of everybody differ only in whose they are. */
function tokenColumns<R extends Token>() {
  const column = columnsOf<R>();
  return [
    column.accessor(({ name }) => name, {
      id: 'name',
      header: 'Name',
      enableSorting: true,
      cell: ({ row: { original } }) => (
        <span>
          <span className="block font-medium leading-4">{original.name}</span>
          <span className="font-mono text-ink-muted text-xs">{original.prefix}…</span>
        </span>
      ),
    }),
    column.accessor(({ role }) => roleLabel(role), { id: 'role', header: 'Role' }),
    statusColumn<R>(),
    column.accessor(({ expires_at }) => expires_at, {
      id: 'expires_at',
      header: 'Expires',
      meta: { from: 'md' },
      cell: ({ getValue }) => <Time at={getValue()} none="never" />,
    }),
    column.accessor(({ last_used_at }) => last_used_at, {
      id: 'last_used_at',
      header: 'Last used',
      cell: ({ getValue }) => <Time at={getValue()} none="never" />,
    }),
    createdColumn<R>({ from: 'lg' }),
  ];
}

const columns = tokenColumns<Token>();
const [name, ...others] = tokenColumns<ProjectToken>();
const maker = columnsOf<ProjectToken>().accessor('user_email', { header: 'Created by', meta: { from: 'md' } });
const columnsOfAll = [...(name ? [name] : []), maker, ...others];

/** Tokens for scripts: one's own, and for admins those of everybody (`?of=all`). */
export default function TokensPage() {
  const everyone = useSearchParams().get('of') === 'all';
  const mayListAll = useMay('listProjectTokens').allowed;
  return everyone && mayListAll ? <TokensOfAll /> : <OwnTokens mayListAll={mayListAll} />;
}

const about = (
  <>
    Credentials for scripts in this project. A token has a role, which never exceeds the role of its creator. The{' '}
    <Link href={paths.apiReference()} prefetch={false} className="rounded-sm text-accent underline underline-offset-2">
      API reference
    </Link>{' '}
    describes every request.
  </>
);

function OwnTokens({ mayListAll }: { mayListAll: boolean }) {
  const { project, api } = useProject();
  const revoke = api.useMutation('delete', '/api/v1/auth/tokens/{id}');
  return (
    <ResourceList
      of={tokens}
      list={listTokens}
      command={createToken}
      about={about}
      empty="Scripts authenticate with API tokens. Each has a role and an expiry, and can be revoked at any time."
      buttons={mayListAll && <ButtonLink href={paths.allTokens(project.slug)}>All tokens</ButtonLink>}
      columns={columns}
      filters={['status']}
      actions={useRevocation('revokeToken', (id) => revoke.mutateAsync({ params: { path: { id } } }))}
    />
  );
}

function TokensOfAll() {
  const { project, api } = useProject();
  const revoke = api.useMutation('delete', '/api/v1/identity/tokens/{id}');
  return (
    <ResourceList
      of={tokens}
      list={listProjectTokens}
      about={about}
      empty="Tokens of all members of this project are listed here."
      buttons={<ButtonLink href={paths.tokens(project.slug)}>My tokens</ButtonLink>}
      columns={columnsOfAll}
      filters={['status']}
      actions={useRevocation('revokeProjectToken', (id) => revoke.mutateAsync({ params: { path: { id } } }))}
    />
  );
}

/** The one thing that can be done with a token. */
function useRevocation(operation: OperationId, revoke: (id: string) => Promise<unknown>) {
  const may = useMay(operation);
  return ({ id, name }: Token) => [
    {
      label: 'Revoke',
      icon: Trash2,
      danger: true,
      disabledReason: may.reason,
      confirmation: {
        title: `Revoke ${name}?`,
        consequence: 'Requests with this token fail immediately. This cannot be undone.',
        confirmLabel: 'Revoke token',
        onConfirm: () => revoke(id),
      },
    },
  ];
}
