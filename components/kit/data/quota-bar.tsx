'use client';

import { clsx } from 'clsx';
import { useRealm } from '@/components/kit/page/place';
import { formatPercent } from '@/lib/format/number';
import { formatAmount, formatPart } from '@/lib/format/quantity';

interface QuotaBarProps {
  label: string;
  used: number;
  limit: number;
  unit: string;
  /** What a create that is being filled in would add: drawn behind the use, in the same unit. */
  claim?: number;
}

/** Use beside its limit, in one unit. Amber from 80 %, red when it is full or would be passed. */
export function QuotaBar({ label, used, limit, unit, claim = 0 }: QuotaBarProps) {
  const share = (amount: number) => (limit > 0 ? Math.min(1, amount / limit) : amount > 0 ? 1 : 0);
  const after = used + claim;
  const full = claim > 0 ? after > limit : used >= limit;
  const near = share(after) >= 0.8;
  const nothingLeft = useRealm() === 'portal' ? 'Limit reached. An administrator can raise it.' : 'Limit reached';
  const words = `${formatAmount(used, unit)} of ${formatAmount(limit, unit)} used`;
  return (
    <div className="text-sm">
      <div className="flex items-baseline justify-between gap-3">
        <span className="font-medium">{label}</span>
        <span className="whitespace-nowrap text-ink-muted text-xs tabular-nums">
          <span className="font-medium text-ink text-sm">{formatPart(used, unit)}</span>
          {claim > 0 && (
            <span className={full ? 'text-critical-ink' : 'text-accent'}> + {formatPart(claim, unit)}</span>
          )}{' '}
          of {formatAmount(limit, unit)}
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a native meter can't be drawn alike in every browser */}
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={claim > 0 ? `${words}, this adds ${formatAmount(claim, unit)}` : words}
        className="mt-1.5 flex h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <div
          className={clsx(
            'h-full transition-[width] duration-300 ease-settle',
            full ? 'bg-critical' : near ? 'bg-caution' : 'bg-accent',
          )}
          style={{ width: `${share(used) * 100}%` }}
        />
        {claim > 0 && (
          <div
            className={clsx('h-full opacity-45', full ? 'bg-critical' : near ? 'bg-caution' : 'bg-accent')}
            style={{ width: `${(share(after) - share(used)) * 100}%` }}
          />
        )}
      </div>
      <p className="mt-1 text-ink-subtle text-xs tabular-nums">
        {full
          ? claim > 0
            ? `${formatAmount(after - limit, unit)} over the limit`
            : nothingLeft
          : `${formatAmount(limit - after, unit)} left${near ? ` · ${formatPercent(share(after))} used` : ''}`}
      </p>
    </div>
  );
}
