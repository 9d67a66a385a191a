'use client';

import { clsx } from 'clsx';
import { Plus } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Money } from '@/components/kit/data/amounts';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatMoney } from '@/lib/format/money';
import { formatPercent } from '@/lib/format/number';
import { formatMonth } from '@/lib/format/time';
import { paths } from '@/lib/paths';
import { type Pace, shareOfBudget } from './pace';
import { useSpentNow } from './spend-now';
import type { Overview } from './spend-series';

/** The month in four figures: spent, forecast, what runs, and what is prepaid. */
export function SpendTiles({ overview, pace }: { overview: Overview; pace: Pace }) {
  const { project } = useProject();
  const may = useMay('createCheckoutSession');
  const spent = useSpentNow(overview, pace);
  const { forecast_usd, last_month_usd, burn_usd_per_hour, credit_usd, month } = overview;
  const hours = (pace.month_end - pace.month_start) / 3_600_000;
  return (
    <dl className="grid gap-px grid-cols-2 overflow-hidden rounded-lg border bg-line xl:grid-cols-4">
      <Tile name="This month so far" value={<Money usd={spent} />}>
        <OfBudget overview={overview} spent={spent} />
      </Tile>
      <Tile name={`Forecast for ${formatMonth(month, 'long')}`} value={<Money usd={forecast_usd} />}>
        {last_month_usd > 0 ? (
          <>
            {compared(forecast_usd, last_month_usd)} <Money usd={last_month_usd} /> last month
          </>
        ) : (
          'If current resources keep running'
        )}
      </Tile>
      <Tile
        name="Running now"
        value={
          <>
            <data value={burn_usd_per_hour}>{formatMoney(burn_usd_per_hour)}</data>
            <span className="font-normal text-base text-ink-muted tracking-normal"> / hour</span>
          </>
        }
      >
        {formatMoney(burn_usd_per_hour * hours)} per full month
      </Tile>
      <Tile name="Credit" value={<Money usd={credit_usd} />}>
        {may.allowed ? (
          <Link
            href={paths.credit(project.slug, { top_up: '25' })}
            className="inline-flex items-center gap-1 rounded-sm font-medium text-accent hover:underline"
          >
            <Plus className="size-3.5" aria-hidden="true" /> Add credit
          </Link>
        ) : (
          'Used for invoices first'
        )}
      </Tile>
    </dl>
  );
}

/** Their place while they are on the way. */
export function SpendTilesOutline() {
  return <Skeleton className="h-52 w-full rounded-lg xl:h-26" />;
}

function Tile({ name, value, children }: { name: string; value: ReactNode; children: ReactNode }) {
  return (
    <div className="bg-surface p-4">
      <dt className="text-ink-muted text-sm">{name}</dt>
      <dd className="mt-1 font-semibold text-xl tabular-nums sm:text-2xl tracking-[-0.02em]">{value}</dd>
      <dd className="mt-1 text-ink-muted text-xs tabular-nums">{children}</dd>
    </div>
  );
}

function OfBudget({ overview, spent }: { overview: Overview; spent: number }) {
  const { project } = useProject();
  const may = useMay('setBudget');
  const { month_to_date_usd, budget } = overview;
  const { used_percent } = budget.status;
  const limit = budget.monthly_limit_usd;
  if (limit === null || used_percent === null) {
    return (
      <Link href={paths.budget(project.slug)} className="rounded-sm font-medium text-accent hover:underline">
        {may.allowed ? 'Set a budget' : 'No budget set'}
      </Link>
    );
  }
  const share = shareOfBudget({ used_percent, month_to_date_usd, limit_usd: limit }, spent);
  const words = `${formatPercent(share)} of the budget of ${formatMoney(limit)}`;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a native meter can't be drawn alike in every browser */}
      <span
        role="meter"
        aria-label="Budget used"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, Math.floor(share * 100))}
        aria-valuetext={words}
        className="mt-1 mb-1.5 block h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <span
          className={clsx('block h-full', share >= 1 ? 'bg-critical' : share >= 0.8 ? 'bg-caution' : 'bg-accent')}
          style={{ width: `${Math.min(1, share) * 100}%` }}
        />
      </span>
      {words}
    </>
  );
}

/** `12% above`, `Same as` */
function compared(amount: number, other: number): string {
  const change = amount / other - 1;
  if (Math.abs(change) < 0.005) return 'Same as';
  return `${formatPercent(Math.abs(change))} ${change > 0 ? 'above' : 'below'}`;
}
