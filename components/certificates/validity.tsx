'use client';

import { clsx } from 'clsx';
import { useNow } from '@/components/kit/data/clock';
import { formatCount } from '@/lib/format/quantity';
import type { Certificate } from './certificate-actions';

const DAY_MS = 24 * 60 * 60_000;

const tones: Partial<Record<Certificate['status'], string>> = { expiring: 'bg-caution', expired: 'bg-critical' };

/** The remaining time of a certificate in days, beside its whole life. */
export function Validity({ certificate }: { certificate: Certificate }) {
  const now = useNow();
  const { name, not_before, not_after, status } = certificate;
  if (not_before === null || not_after === null) return <span className="text-ink-subtle">–</span>;
  if (now === undefined) return null;
  const [from, to] = [Date.parse(not_before), Date.parse(not_after)];
  const days = Math.max(0, Math.floor((to - now) / DAY_MS));
  const left = Math.min(1, Math.max(0, (to - now) / (to - from)));
  return (
    <span className="inline-flex items-center gap-2.5 whitespace-nowrap tabular-nums">
      {/* biome-ignore lint/a11y/useSemanticElements: a native meter can't be drawn alike in every browser */}
      <span
        role="meter"
        aria-label={`Remaining time of ${name}`}
        aria-valuemin={0}
        aria-valuemax={Math.round((to - from) / DAY_MS)}
        aria-valuenow={days}
        aria-valuetext={formatCount(days, 'day')}
        className="inline-block h-1.5 w-20 overflow-hidden rounded-full bg-hover"
      >
        <span
          className={clsx('block h-full rounded-full', tones[status] ?? 'bg-positive')}
          style={{ width: `${left * 100}%` }}
        />
      </span>
      {status === 'expired' ? 'Expired' : formatCount(days, 'day')}
    </span>
  );
}
