'use client';

import { Plus } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { CheckoutOutcome } from '@/components/billing/checkout-outcome';
import { creditKindLook } from '@/components/billing/credit-kinds';
import { credit } from '@/components/billing/domain';
import { Money } from '@/components/kit/data/amounts';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Time } from '@/components/kit/data/time';
import { Loaded } from '@/components/kit/page/loaded';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { columnsOf } from '@/components/kit/table/data-table';
import { Badge } from '@/components/kit/ui/badge';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { TextLink } from '@/components/network/text-link';
import type { Row } from '@/lib/client/list';
import { useMay } from '@/lib/client/may';
import { listCredits } from '@/lib/client/operations/billing';
import { useProject } from '@/lib/client/project';
import { paths } from '@/lib/paths';

const TopUpDialog = lazyComponent(() =>
  import('@/components/billing/top-up-dialog').then((module) => module.TopUpDialog),
);

type Entry = Row<'/api/v1/billing/credits'>;

const column = columnsOf<Entry>();
const columns = [
  column.accessor('created_at', {
    header: 'Time',
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('kind', { header: 'Kind', cell: ({ getValue }) => <Kind kind={getValue()} /> }),
  column.accessor('reason', { header: 'Description', cell: ({ row: { original } }) => <Reason entry={original} /> }),
  column.accessor('amount_usd', {
    header: 'Amount',
    meta: { align: 'right' },
    cell: ({ getValue }) => (
      <span className={getValue() > 0 ? 'font-medium text-positive-ink' : undefined}>
        {getValue() > 0 && '+'}
        <Money usd={getValue()} />
      </span>
    ),
  }),
  column.accessor('balance_usd', {
    header: 'Balance',
    meta: { align: 'right' },
    cell: ({ getValue }) => <Money usd={getValue()} />,
  }),
];

function Kind({ kind }: Pick<Entry, 'kind'>) {
  const { label, tone } = creditKindLook[kind];
  return <Badge tone={tone}>{label}</Badge>;
}

function Reason({ entry: { kind, reason, reference } }: { entry: Entry }) {
  const { project } = useProject();
  if (kind !== 'invoice') return reason;
  return <TextLink href={paths.invoice(project.slug, reference)}>{reason}</TextLink>;
}

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
      columns={columns}
      searchable={false}
      rowName={({ reason }) => reason}
    >
      {() => amount !== null && may.allowed && <TopUpDialog amount={amount || DEFAULT_AMOUNT} close={hide} />}
    </ResourceList>
  );
}

/** The credit balance, or the amount owed. */
function Balance() {
  const { api } = useProject();
  const overview = api.useQuery('get', '/api/v1/billing/overview');
  return (
    <Card className="mb-6">
      <p className="text-ink-muted text-sm">Balance</p>
      <Loaded query={overview} what="The balance" skeleton={<Skeleton className="mt-1 h-8 w-32" />}>
        {({ credit_usd, owed_usd }) => (
          <>
            <p className="mt-0.5 font-semibold text-2xl tracking-[-0.02em]">
              <Money usd={credit_usd} />
            </p>
            {owed_usd > 0 && (
              <p className="mt-2 text-pretty text-sm">
                <span className="font-medium text-caution-ink">
                  <Money usd={owed_usd} /> owed
                </span>{' '}
                for refunded or disputed payments that were already spent. Added credit settles this first.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Card>
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
