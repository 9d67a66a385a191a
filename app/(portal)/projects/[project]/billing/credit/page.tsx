'use client';

import { Plus } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { CheckoutOutcome } from '@/components/billing/checkout-outcome';
import { Balance } from '@/components/billing/credit-balance';
import { creditColumns } from '@/components/billing/credit-columns';
import { credit } from '@/components/billing/domain';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { Button } from '@/components/kit/ui/button';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { useMay } from '@/lib/client/may';
import { listCredits } from '@/lib/client/operations/billing';

const TopUpDialog = lazyComponent(() =>
  import('@/components/billing/top-up-dialog').then((module) => module.TopUpDialog),
);

const DEFAULT_AMOUNT = '25';

/** Prepaid credit: what is left, how to get more, and every entry of its ledger. */
export default function CreditPage() {
  const amount = useSearchParams().get('top_up');
  const may = useMay('createCheckoutSession');
  const add = (
    <DisabledReason reason={may.reason}>
      <Button variant="primary" onClick={() => show(DEFAULT_AMOUNT)}>
        <Plus /> Add credit
      </Button>
    </DisabledReason>
  );
  return (
    <ResourceList
      of={credit}
      list={listCredits}
      about="Prepaid by card or granted by the platform. Invoices use credit before any card is charged."
      emptyTitle="No credit yet"
      empty="Credit is prepaid. Invoices use it first, and it lifts a budget freeze immediately."
      above={
        <>
          <CheckoutOutcome />
          <Balance />
        </>
      }
      create={add}
      columns={creditColumns}
      searchable={false}
      rowName={({ reason }) => reason}
    >
      {() => amount !== null && may.allowed && <TopUpDialog amount={amount || DEFAULT_AMOUNT} close={hide} />}
    </ResourceList>
  );
}

/** The dialog stands in the address, so that other pages can lead right into it. */
function show(amount: string): void {
  change((search) => search.set('top_up', amount));
}

function hide(): void {
  change((search) => search.delete('top_up'));
}

function change(apply: (search: URLSearchParams) => void): void {
  const search = new URLSearchParams(window.location.search);
  apply(search);
  const { pathname } = window.location;
  window.history.replaceState(null, '', search.size > 0 ? `${pathname}?${search}` : pathname);
}
