'use client';

import { Replace, Trash2 } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { identityProviders } from '@/components/iam/domain';
import { Time } from '@/components/kit/data/time';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { roleLabel } from '@/components/members/roles';
import type { Row } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { listIdentityProviders } from '@/lib/client/operations/iam';
import { useProject } from '@/lib/client/project';

const ExchangeDialog = lazyComponent(() =>
  import('@/components/iam/exchange-dialog').then((module) => module.ExchangeDialog),
);

type Provider = Row<'/api/v1/iam/providers'>;

const column = columnsOf<Provider>();
const columns = [
  column.accessor('name', {
    header: 'Name',
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <span>
        <span className="block font-medium leading-4">{original.name}</span>
        <span className="block font-mono text-ink-muted text-xs max-sm:max-w-[60vw] max-sm:truncate sm:break-all">
          {original.issuer}
        </span>
      </span>
    ),
  }),
  column.accessor('conditions', {
    header: 'Conditions',
    meta: { from: 'md' },
    cell: ({ getValue }) => (
      <ul className="space-y-0.5 font-mono text-xs">
        {Object.entries(getValue()).map(([claim, patterns]) => (
          <li key={claim} className="break-all">
            <span className="text-ink-muted">{claim}:</span> {patterns.join(' or ')}
          </li>
        ))}
      </ul>
    ),
  }),
  column.accessor('max_role', { header: 'Maximum role', cell: ({ getValue }) => roleLabel(getValue()) }),
  column.accessor('created_at', {
    header: 'Created',
    enableSorting: true,
    meta: { from: 'lg' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

/** Issuers whose tokens workloads exchange for credentials of the project, so that no password is stored anywhere. */
export default function IdentityProvidersPage() {
  const { api } = useProject();
  const may = useMay('deleteIdentityProvider');
  const remove = api.useMutation('delete', '/api/v1/iam/providers/{id}');
  const asked = useSearchParams().get('exchange');

  return (
    <ResourceList
      of={identityProviders}
      list={listIdentityProviders}
      about="Issuers that this project trusts. Their workloads, such as CI jobs, exchange tokens for short-lived credentials."
      empty="CI jobs and pods already have a token from their own platform. Add its issuer, and they need no stored API token."
      columns={columns}
      actions={(provider) => [
        {
          label: 'How to exchange a token',
          icon: Replace,
          onSelect: () => explain(provider.id),
        },
        {
          label: 'Delete',
          icon: Trash2,
          danger: true,
          disabledReason: may.reason,
          confirmation: {
            title: `Delete ${provider.name}?`,
            consequence: 'Its workloads lose access immediately. You can add the identity provider again at any time.',
            confirmLabel: 'Delete identity provider',
            onConfirm: () => remove.mutateAsync({ params: { path: { id: provider.id } } }),
          },
        },
      ]}
    >
      {(rows) => {
        const shown = rows.find(({ id }) => id === asked);
        return shown && <ExchangeDialog key={shown.id} provider={shown} close={() => explain(undefined)} />;
      }}
    </ResourceList>
  );
}

/** The explanation stands in the address, beside the list's own state: it can be sent to whoever sets the workload up. */
function explain(id: string | undefined) {
  const address = new URL(window.location.href);
  if (id) address.searchParams.set('exchange', id);
  else address.searchParams.delete('exchange');
  window.history.replaceState(null, '', address);
}
