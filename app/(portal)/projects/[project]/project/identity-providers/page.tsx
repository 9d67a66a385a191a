'use client';

import { Fingerprint, Replace, Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useSearchParams } from 'next/navigation';
import { Time } from '@/components/kit/data/time';
import { useConfirm } from '@/components/kit/page/confirm';
import { CreateLink } from '@/components/kit/page/create-link';
import { EmptyState } from '@/components/kit/page/empty-state';
import { Page } from '@/components/kit/page/page';
import { columnsOf, DataTable } from '@/components/kit/table/data-table';
import { useTableState } from '@/components/kit/table/table-state';
import { whenReachable } from '@/components/kit/ui/when-reachable';
import { roleLabel } from '@/components/members/roles';
import { type Row, useList } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const ExchangeDialog = dynamic(() =>
  whenReachable(() => import('@/components/iam/exchange-dialog').then((module) => module.ExchangeDialog)),
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
  const { project, api } = useProject();
  const confirm = useConfirm();
  const may = useMay('deleteIdentityProvider');
  const state = useTableState();
  const list = useList('/api/v1/iam/providers', state.query);
  const remove = api.useMutation('delete', '/api/v1/iam/providers/{id}');
  const asked = useSearchParams().get('exchange');
  const shown = list.data?.rows.find(({ id }) => id === asked);

  const create = (
    <CreateLink
      label="Add identity provider"
      href={paths.newIdentityProvider(project.slug)}
      operation="createIdentityProvider"
    />
  );
  return (
    <Page
      title="Identity providers"
      description="Issuers that this project trusts. Their workloads, such as CI jobs, exchange tokens for short-lived credentials."
      actions={create}
    >
      <DataTable
        noun="identity provider"
        list={list}
        state={state}
        columns={columns}
        rowName={({ name }) => name}
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
            onSelect: () =>
              confirm({
                title: `Delete ${provider.name}?`,
                consequence:
                  'Its workloads lose access immediately. You can add the identity provider again at any time.',
                confirmLabel: 'Delete identity provider',
                onConfirm: () => remove.mutateAsync({ params: { path: { id: provider.id } } }),
              }),
          },
        ]}
        empty={
          <EmptyState icon={Fingerprint} title="No identity providers yet" action={create}>
            CI jobs and pods already have a token from their own platform. Add its issuer, and they need no stored API
            token.
          </EmptyState>
        }
      />
      {shown && <ExchangeDialog key={shown.id} provider={shown} close={() => explain(undefined)} />}
    </Page>
  );
}

/** The explanation stands in the address, beside the list's own state: it can be sent to whoever sets the workload up. */
function explain(id: string | undefined) {
  const address = new URL(window.location.href);
  if (id) address.searchParams.set('exchange', id);
  else address.searchParams.delete('exchange');
  window.history.replaceState(null, '', address);
}
