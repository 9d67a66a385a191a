'use client';

import { Star, Trash2 } from 'lucide-react';
import { AddCard } from '@/components/billing/add-card';
import { cardColumns } from '@/components/billing/card-columns';
import { cardName, removalSentence } from '@/components/billing/cards';
import { CheckoutOutcome } from '@/components/billing/checkout-outcome';
import { paymentMethods } from '@/components/billing/domain';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { useList } from '@/lib/client/list';
import { useRefusal } from '@/lib/client/may';
import { listPaymentMethods } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';

/** The cards that invoices are charged to. Their numbers are the payment processor's alone. */
export default function PaymentMethodsPage() {
  const { api } = useProject();
  const choose = api.useMutation('post', '/api/v1/billing/payment-methods/{id}/default');
  const remove = api.useMutation('delete', '/api/v1/billing/payment-methods/{id}');
  const refusal = useRefusal();
  const cards = useList('/api/v1/billing/payment-methods', { limit: 200 }).data?.rows ?? [];
  return (
    <ResourceList
      of={paymentMethods}
      list={listPaymentMethods}
      about="After each month, the default card is charged for what credit does not cover. Card numbers stay with the payment processor."
      empty="Invoices are charged to your card automatically. Without a card, they are paid from prepaid credit and the rest stays open."
      above={
        <>
          <CheckoutOutcome />
          {choose.error !== null && (
            <div className="mb-5">
              <ErrorNotice title="The default card could not be changed" error={choose.error} />
            </div>
          )}
        </>
      }
      create={<AddCard />}
      columns={cardColumns}
      searchable={false}
      rowName={cardName}
      actions={(card) => [
        {
          label: 'Make default',
          icon: Star,
          disabledReason:
            refusal('setDefaultPaymentMethod') ?? (card.is_default ? 'Already the default card.' : undefined),
          onSelect: () => choose.mutate({ params: { path: { id: card.id } } }),
        },
        {
          label: 'Remove',
          icon: Trash2,
          danger: true,
          disabledReason: refusal('removePaymentMethod'),
          confirmation: {
            title: `Remove ${cardName(card)}?`,
            consequence: removalSentence(card, cards),
            confirmLabel: 'Remove card',
            onConfirm: () => remove.mutateAsync({ params: { path: { id: card.id } } }),
          },
        },
      ]}
    />
  );
}
