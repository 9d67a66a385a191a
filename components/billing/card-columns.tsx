import { CreditCard } from 'lucide-react';
import { useNow } from '@/components/kit/data/clock';
import { StatusBadge } from '@/components/kit/data/status-badge';
import { Time } from '@/components/kit/data/time';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { cardAge, cardName, expiryText, type PaymentMethod } from './cards';

const column = columnsOf<PaymentMethod>();

/** Saved cards. */
export const cardColumns = [
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
