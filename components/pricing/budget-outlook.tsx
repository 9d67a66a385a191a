'use client';

import { clsx } from 'clsx';
import { ArrowRight } from 'lucide-react';
import Link from 'next/link';
import { Time } from '@/components/kit/data/time';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatMoney } from '@/lib/format/money';
import { formatMonth } from '@/lib/format/time';
import type { BudgetImpact } from '@/lib/money/pricing/quote';
import { paths } from '@/lib/paths';

/** What one thing more does to the month: the forecast without and with it, beside the budget. */
export function BudgetOutlook({ impact, month }: { impact: BudgetImpact; month: string }) {
  const { forecast_usd, limit_usd } = impact;
  return (
    <div className="border-t pt-3">
      <h3 className="font-medium">Forecast for {formatMonth(month, 'long')}</h3>
      <p className="mt-1 flex flex-wrap items-center gap-x-1.5 tabular-nums">
        {formatMoney(forecast_usd.before)}
        <ArrowRight className="size-3.5 text-ink-subtle" aria-hidden="true" />
        <span className="sr-only">becomes</span>
        <span className="font-medium">{formatMoney(forecast_usd.after)}</span>
        {limit_usd !== null && <span className="text-ink-muted">of {formatMoney(limit_usd)}</span>}
      </p>
      {limit_usd !== null && <Bar {...forecast_usd} limit={limit_usd} />}
      <p className="mt-1.5 text-pretty text-ink-muted text-xs">
        <Reading {...impact} />
      </p>
    </div>
  );
}

function Bar({ before, after, limit }: BudgetImpact['forecast_usd'] & { limit: number }) {
  const share = (amount: string) => Math.min(1, Number(amount) / limit);
  const over = Number(after) >= limit;
  const near = Number(after) >= limit * 0.8;
  const colour = over ? 'bg-critical' : near ? 'bg-caution' : 'bg-accent';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a native meter can't be drawn alike in every browser
    <div
      role="meter"
      aria-label="Budget forecast"
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(Number(after), limit)}
      aria-valuetext={`${formatMoney(after)} of ${formatMoney(limit)}, without it ${formatMoney(before)}`}
      className="mt-1.5 flex h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div className={clsx('h-full', colour)} style={{ width: `${share(before) * 100}%` }} />
      <div
        className={clsx('h-full opacity-45', colour)}
        style={{ width: `${Math.max(0, share(after) - share(before)) * 100}%` }}
      />
    </div>
  );
}

function Reading({ limit_usd, freezes, reached }: BudgetImpact) {
  const { project } = useProject();
  const may = useMay('setBudget');
  if (limit_usd === null) {
    return (
      <>
        No budget set.{' '}
        {may.allowed && (
          <Link href={paths.budget(project.slug)} className="rounded-sm text-accent underline underline-offset-2">
            Set a budget
          </Link>
        )}
      </>
    );
  }
  const { before, after } = reached;
  if (after === null) return 'The budget will not be reached this month.';
  const consequence = freezes ? ' After that, nothing can be created or enlarged.' : '';
  if (before?.getTime() === after.getTime()) return 'This month’s budget is already reached.';
  return (
    <>
      The budget will be reached on <Moment at={after} />
      {before && (
        <>
          {' '}
          instead of on <Moment at={before} />
        </>
      )}
      .{consequence}
    </>
  );
}

function Moment({ at }: { at: Date }) {
  return (
    <span className="font-medium text-ink">
      <Time at={at.toISOString()} form="moment" />
    </span>
  );
}
