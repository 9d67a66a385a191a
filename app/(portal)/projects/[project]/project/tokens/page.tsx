'use client';

import { Trash2 } from 'lucide-react';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { ButtonLink } from '@/components/kit/ui/button';
import { tokens } from '@/components/tokens/domain';
import { allTokenColumns, ownTokenColumns, type Token } from '@/components/tokens/token-columns';
import { type OperationId, useMay } from '@/lib/client/may';
import { createToken, listTokens } from '@/lib/client/operations/auth';
import { listProjectTokens } from '@/lib/client/operations/identity';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

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
      columns={ownTokenColumns}
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
      columns={allTokenColumns}
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
