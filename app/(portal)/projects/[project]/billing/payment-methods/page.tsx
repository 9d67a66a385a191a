'use client';

import { CreditCard, Plus, Star, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { cardAge, cardName, expiryText, type PaymentMethod } from '@/components/billing/cards';
import { CheckoutOutcome } from '@/components/billing/checkout-outcome';
import { paymentMethods } from '@/components/billing/domain';
import { useHostedPages } from '@/components/billing/hosted-page';
import { useNow } from '@/components/kit/data/clock';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { useList } from '@/lib/client/list';
import { useMay, useRefusal } from '@/lib/client/may';
import { listPaymentMethods } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';

const column = columnsOf<PaymentMethod>();
const columns = [
  column.accessor('last4', {
    header: 'Card',
    cell: ({ row: { original } }) => (
      <span className="flex items-center gap-2.5">
        <CreditCard className="size-4 shrink-0 text-ink-subtle" aria-hidden="true" />
        <span className="font-medium">{cardName(original)}</span>
      </span>
    ),
  }),
  column.accessor('is_default', {
    header: 'Default',
    cell: ({ getValue }) => (getValue() ? <Badge tone="accent">Default</Badge> : null),
  }),
  column.accessor('exp_month', {
    header: 'Expires',
    cell: ({ row: { original } }) => <Expiry card={original} />,
  }),
  column.accessor('created_at', {
    header: 'Added',
    meta: { from: 'md' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
];

function Expiry({ card }: { card: PaymentMethod }) {
  const now = useNow();
  const age = now === undefined ? 'good' : cardAge(card, now);
  return (
    <span className="inline-flex items-center gap-2 tabular-nums">
      {expiryText(card)}
      {age !== 'good' && <StatusBadge status={age} />}
    </span>
  );
}

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
      columns={columns}
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

function AddCard() {
  const may = useMay('createCardSession');
  const { saveCard, error } = useHostedPages();
  const [pending, setPending] = useState(false);
  return (
    <>
      <DisabledReason reason={may.reason}>
        <Button
          variant="primary"
          pending={pending}
          onClick={() => {
            setPending(true);
            void saveCard().catch(() => setPending(false));
          }}
        >
          <Plus /> Add card
        </Button>
      </DisabledReason>
      {error !== null && <ErrorNotice title="The processor’s page could not be opened" error={error} />}
    </>
  );
}

/** What follows when a card goes: which one is charged then, or that none is. */
function removalSentence({ id, is_default }: PaymentMethod, cards: readonly PaymentMethod[]): string {
  const gone = 'It is also removed at the payment processor. To use it again, add it again.';
  if (!is_default) return `${gone} Invoices are already charged to another card.`;
  // The list is the newest first: of the others the oldest becomes the default.
  const next = cards.filter((card) => card.id !== id).at(-1);
  return next
    ? `${gone} Invoices will be charged to ${cardName(next)}.`
    : `${gone} This is your only card. Invoices that credit does not cover stay open until you add another.`;
}
