'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';
import { Loaded } from '@/components/kit/page/loaded';
import { Card } from '@/components/kit/ui/card';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useProject } from '@/lib/client/project';
import { formatMoney, formatRate } from '@/lib/format/money';
import { formatNumber } from '@/lib/format/number';
import { formatMonth } from '@/lib/format/time';
import { budgetImpact, type Claim, type Quote, type QuoteLine, quote } from '@/lib/money/pricing/quote';
import { paths } from '@/lib/paths';
import { BudgetOutlook } from './budget-outlook';

interface PriceProps {
  /** What it will have; nothing of it while the form does not say yet. */
  claims: readonly Claim[];
  /** What to fill in to see a price. */
  missing: string;
  /** When it is billed. */
  billed: string;
  /** Without a frame of its own, inside a dialog. */
  plain?: boolean;
}

/** What something costs before it is created, at this month's rates, and what it does to the budget. */
export function Price({ claims, missing, billed, plain = false }: PriceProps) {
  const empty = claims.every(({ quantity }) => quantity <= 0);
  const content = empty ? (
    <p className="text-ink-muted text-sm">{missing}</p>
  ) : (
    <div className="space-y-4 text-sm">
      <Priced claims={claims} />
      <p className="text-pretty text-ink-muted text-xs">{billed}</p>
    </div>
  );
  if (!plain) {
    return (
      <Card title="Price" aria-label="Price">
        {content}
      </Card>
    );
  }
  return <section aria-label="Price">{content}</section>;
}

function Priced({ claims }: Pick<PriceProps, 'claims'>) {
  const { api } = useProject();
  const pricing = api.useQuery('get', '/api/v1/billing/pricing');
  const overview = api.useQuery('get', '/api/v1/billing/overview');
  const both = {
    data: pricing.data && overview.data && { card: pricing.data, spend: overview.data },
    error: pricing.error ?? overview.error,
    refetch: () => Promise.all([pricing.refetch(), overview.refetch()]),
  };
  return (
    <Loaded query={both} what="The price" skeleton={<Skeleton className="h-44 w-full" />}>
      {({ card, spend }) => {
        const quoted = quote(card, claims);
        if (quoted.lines.every(({ unit_price_usd }) => unit_price_usd === null)) return <Free lines={quoted.lines} />;
        return (
          <div className="space-y-4" aria-live="polite">
            <Totals quoted={quoted} month={card.month} />
            <Lines lines={quoted.lines} />
            <BudgetOutlook impact={budgetImpact(quoted, spend)} month={spend.month} />
          </div>
        );
      }}
    </Loaded>
  );
}

function Free({ lines }: { lines: readonly QuoteLine[] }) {
  return (
    <p className="text-pretty">
      <span className="font-medium">Free of charge.</span>{' '}
      <span className="text-ink-muted">
        {lines.map(({ label }) => label).join(' and ')} is metered, but not priced on the <RateCardLink />.
      </span>
    </p>
  );
}

function RateCardLink() {
  const { project } = useProject();
  return (
    <Link href={paths.pricing(project.slug)} className="rounded-sm text-accent underline underline-offset-2">
      rate card
    </Link>
  );
}

function Totals({ quoted, month }: { quoted: Quote; month: string }) {
  const { usd_per_hour, usd_per_month, hours, next } = quoted;
  return (
    <div>
      <p className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
        <data
          value={usd_per_month}
          title={`${usd_per_month} USD`}
          className="font-semibold text-xl tracking-[-0.017em]"
        >
          {formatMoney(usd_per_month)}
        </data>{' '}
        <span className="text-ink-muted">per month</span>{' '}
        <data value={usd_per_hour} title={`${usd_per_hour} USD`} className="ml-auto">
          {formatMoney(usd_per_hour)} / hour
        </data>
      </p>
      <p className="mt-0.5 text-ink-muted text-xs">
        Based on {hours} hours in {formatMonth(month, 'long')}.
        {next && ` From ${formatMonth(next.month, 'long')}: ${formatMoney(next.usd_per_hour)} / hour.`}
      </p>
    </div>
  );
}

function Lines({ lines }: { lines: readonly QuoteLine[] }) {
  return (
    <dl className="space-y-1.5 border-t pt-3">
      {lines.map(({ label, quantity, unit, per, unit_price_usd, usd_per_month }) => (
        <div key={label} className="flex items-baseline justify-between gap-3">
          <dt className="min-w-0">
            {label === unit ? `${formatNumber(quantity)} ${unit}` : `${label}, ${formatNumber(quantity)} ${unit}`}
            {unit_price_usd !== null && (
              <span className="text-ink-subtle text-xs"> at {formatRate(unit_price_usd, per)}</span>
            )}
          </dt>
          <dd className="whitespace-nowrap tabular-nums" title={`${usd_per_month} USD per month`}>
            {unit_price_usd === null ? <Charge>free of charge</Charge> : formatMoney(usd_per_month)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Charge({ children }: { children: ReactNode }) {
  return <span className="text-ink-muted">{children}</span>;
}
