'use client';

import type { ReactNode } from 'react';
import { TextLink } from '@/components/backoffice/text-link';
import { Money } from '@/components/kit/data/amounts';
import { Time } from '@/components/kit/data/time';
import { Loaded } from '@/components/kit/page/loaded';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { formatCount } from '@/lib/format/quantity';
import { formatMonth } from '@/lib/format/time';
import { adminPaths } from '@/lib/paths';
import { MonthState } from './month-state';
import { type MonthClosing, useClosings } from './months';

/** What all tenants together were invoiced for a month, and how it was paid. */
export function MonthTotals({ month }: { month: string | undefined }) {
  const closings = useClosings();
  return (
    <Loaded query={closings} what="The month" skeleton={<Skeleton className="h-25 w-full" />}>
      {({ rows }) => {
        const shown = month === undefined ? rows[0] : rows.find((row) => row.month === month);
        return shown ? <Totals {...shown} /> : null;
      }}
    </Loaded>
  );
}

function Totals({
  month,
  state,
  closes_at,
  invoices,
  subtotal_usd,
  credit_usd,
  due_usd,
  paid_usd,
  failed,
}: MonthClosing) {
  return (
    <section aria-label={formatMonth(month)} className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
      <Tile title={formatMonth(month)} value={<MonthState state={state} />}>
        {state === 'running' || state === 'ended' ? (
          <>
            Invoices <Time at={closes_at} />
          </>
        ) : (
          <TextLink href={adminPaths.invoices({ month })}>{formatCount(invoices, 'invoice')}</TextLink>
        )}
      </Tile>
      <Tile title="Invoiced" value={<Money usd={subtotal_usd} />}>
        <Money usd={credit_usd} /> from credit
      </Tile>
      <Tile title="Due by card" value={<Money usd={due_usd} />}>
        <Money usd={paid_usd} /> paid
      </Tile>
      <Tile title="Failed payments" value={failed}>
        {failed === 0 ? (
          'No action needed'
        ) : (
          <TextLink href={adminPaths.invoices({ month, status: 'failed' })}>View failed</TextLink>
        )}
      </Tile>
    </section>
  );
}

function Tile({ title, value, children }: { title: string; value: ReactNode; children: ReactNode }) {
  return (
    <div className="rounded-lg border bg-surface p-4">
      <h2 className="text-ink-muted text-sm">{title}</h2>
      <p className="mt-1 flex min-h-8 items-center font-semibold text-2xl tabular-nums tracking-[-0.02em]">{value}</p>
      <p className="mt-1 text-ink-muted text-xs tabular-nums">{children}</p>
    </div>
  );
}
