'use client';

import { Replace, Trash2 } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { identityProviders } from '@/components/iam/domain';
import { providerColumns } from '@/components/iam/provider-columns';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useMay } from '@/lib/client/may';
import { listIdentityProviders } from '@/lib/client/operations/iam';
import { useProject } from '@/lib/client/project';

const ExchangeDialog = lazyComponent(() =>
  import('@/components/iam/exchange-dialog').then((module) => module.ExchangeDialog),
);

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
      columns={providerColumns}
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
