import { clsx } from 'clsx';
import { formatNumber } from '@/lib/format/number';

interface AddressUseProps {
  used: number;
  total: number;
  /** Stands in a table. */
  small?: boolean;
}

/** How many of a network's addresses ports have. */
export function AddressUse({ used, total, small = false }: AddressUseProps) {
  const share = total > 0 ? used / total : 1;
  const look = share >= 1 ? 'bg-critical' : share >= 0.8 ? 'bg-caution' : 'bg-accent';
  return (
    <div className={clsx('tabular-nums', small ? 'flex items-center gap-2.5 text-sm' : 'space-y-1.5 text-sm')}>
      {/* biome-ignore lint/a11y/useSemanticElements: a native meter can't be drawn alike in every browser */}
      <div
        role="meter"
        aria-label="IP addresses in use"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={Math.min(used, total)}
        aria-valuetext={`${used} of ${total}`}
        className={clsx('h-1.5 shrink-0 overflow-hidden rounded-full bg-hover', small ? 'w-14' : 'w-full')}
      >
        <div
          className={clsx('h-full rounded-full transition-[width] duration-300 ease-settle', look)}
          // A sliver is seen as soon as one is in use.
          style={{ width: used === 0 ? 0 : `max(${Math.min(1, share) * 100}%, 3px)` }}
        />
      </div>
      <span className="whitespace-nowrap">
        {formatNumber(used)} <span className="text-ink-muted">of {formatNumber(total)}</span>
      </span>
    </div>
  );
}
