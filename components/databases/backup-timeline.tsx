'use client';

import { clsx } from 'clsx';
import { useNow } from '@/components/kit/data/clock';
import { formatCount } from '@/lib/format/quantity';
import { formatMoment } from '@/lib/format/time';
import { daysOf, momentAt, momentOf, placeOf } from './backup-look';
import type { Backup, Cluster } from './types';

interface BackupTimelineProps {
  cluster: Pick<Cluster, 'restore_window'>;
  backups: readonly Backup[];
  /** A moment that was pressed on the band; undefined where none may be chosen. */
  onMoment: ((moment: Date) => void) | undefined;
}

/** The last seven days as a line: each backup as a dot, the moments that can be restored as a band. */
export function BackupTimeline({ cluster: { restore_window }, backups, onMoment }: BackupTimelineProps) {
  const now = useNow();
  if (now === undefined) return <div className="h-20" />;
  const from = restore_window && (placeOf(restore_window.from, now) ?? 0);
  const until = restore_window && (placeOf(restore_window.until, now) ?? 0);
  const placed = backups.flatMap((backup) => {
    const place = placeOf(momentOf(backup), now);
    return place === undefined ? [] : [{ backup, place }];
  });
  const words = `${formatCount(placed.length, 'backup')} in the last 7 days${
    restore_window ? `; any moment since ${formatMoment(restore_window.from)} can be restored` : ''
  }.`;
  return (
    <div>
      <p className="sr-only">{words}</p>
      <div aria-hidden="true" className="relative h-16 select-none px-2">
        <div className="absolute inset-x-2 top-5 h-0.5 rounded-full bg-line-strong" />
        <div className="absolute inset-x-2 top-0 h-full">
          {from !== null && until !== null && restore_window && (
            // The keyboard has a button for it, with a field for the moment.
            // biome-ignore lint/a11y/noStaticElementInteractions: a second way, for pointers
            // biome-ignore lint/a11y/useKeyWithClickEvents: a second way, for pointers
            <div
              className={clsx('absolute top-3 h-4.5 rounded-full bg-accent-soft', onMoment && 'cursor-crosshair')}
              title={onMoment && 'Restore to a moment'}
              style={{ left: `${from * 100}%`, width: `${(until - from) * 100}%` }}
              onClick={({ currentTarget, clientX }) => {
                const { left, width } = currentTarget.getBoundingClientRect();
                onMoment?.(momentAt(from + ((clientX - left) / width) * (until - from), now, restore_window));
              }}
            />
          )}
          {daysOf(now).map(({ at, place }) => (
            <div key={at} className="absolute top-8 -translate-x-1/2" style={{ left: `${place * 100}%` }}>
              <div className="mx-auto h-1.5 w-px bg-line-strong" />
              <div className="mt-1 whitespace-nowrap text-2xs text-ink-subtle">{formatMoment(at).split(',')[0]}</div>
            </div>
          ))}
          {placed.map(({ backup, place }) => (
            <div
              key={backup.id}
              title={formatMoment(momentOf(backup))}
              className={clsx(
                'pointer-events-none absolute top-3.5 size-3.5 -translate-x-1/2 rounded-full border-2 border-surface',
                backup.status === 'available' ? 'bg-accent' : backup.status === 'failed' ? 'bg-critical' : 'bg-moving',
              )}
              style={{ left: `${place * 100}%` }}
            />
          ))}
        </div>
      </div>
    </div>
  );
}
