import type { Backup, Cluster } from './types';

/** When the backup's data is from: its end; while it runs, its beginning. */
export const momentOf = ({ finished_at, created_at }: Pick<Backup, 'finished_at' | 'created_at'>): string =>
  finished_at ?? created_at;

/** Why a cluster cannot be restored from a backup, if so. */
export function whyNotRestore({ status }: Pick<Backup, 'status'>): string | undefined {
  switch (status) {
    case 'available':
      return undefined;
    case 'failed':
      return 'This backup failed.';
    case 'deleting':
      return 'This backup is being deleted.';
    default:
      return 'This backup is not complete yet.';
  }
}

/** Why a backup cannot be deleted, if so. */
export function whyNotDeleteBackup({ status }: Pick<Backup, 'status'>): string | undefined {
  if (status === 'deleting') return 'This backup is being deleted.';
  return status === 'pending' || status === 'running' ? 'Wait until the backup is complete.' : undefined;
}

const DAY_MS = 86_400_000;
/** Backups are kept for a week. */
const SPAN_MS = 7 * DAY_MS;

/** The place of a moment on a line of seven days that ends now: 0 to 1, or undefined before it. */
export function placeOf(at: string | number, now: number): number | undefined {
  const place = 1 - (now - new Date(at).getTime()) / SPAN_MS;
  return place < 0 ? undefined : Math.min(1, place);
}

/** The moment at a place of that line, within what can be restored. */
export function momentAt(place: number, now: number, { from, until }: NonNullable<Cluster['restore_window']>): Date {
  const moment = now - (1 - place) * SPAN_MS;
  return new Date(Math.min(Date.parse(until), Math.max(Date.parse(from), moment)));
}

/** The midnights on the line, with their places. */
export function daysOf(now: number): { at: number; place: number }[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  return Array.from({ length: 7 }, (_, back) => midnight - back * DAY_MS).flatMap((at) => {
    const place = placeOf(at, now);
    return place === undefined ? [] : [{ at, place }];
  });
}
