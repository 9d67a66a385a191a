import { clsx } from 'clsx';
import { formatPercent } from '@/lib/format/number';

/** How much of a budget is used: a bar with its number. */
export function BudgetUse({ percent }: { percent: number | null }) {
  if (percent === null) return <span className="text-ink-subtle">No budget</span>;
  const colour = percent >= 100 ? 'bg-critical' : percent >= 80 ? 'bg-caution' : 'bg-accent';
  return (
    <span className="flex items-center gap-2">
      <span className="h-1.5 w-20 overflow-hidden rounded-full bg-hover" aria-hidden="true">
        <span className={clsx('block h-full', colour)} style={{ width: `${Math.min(100, percent)}%` }} />
      </span>
      <span className="w-11 text-right text-xs tabular-nums">{formatPercent(percent / 100)}</span>
    </span>
  );
}
