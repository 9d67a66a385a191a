import type { BackupStore } from '../../backups/store';
import { positionOf } from './archive';

/** Segments of WAL that lead from a base backup on, in order of their places, and the histories of timelines. */
export async function walAfter(
  store: BackupStore,
  prefix: string,
  startSegment: string,
): Promise<{ segments: string[]; histories: string[] }> {
  const names = (await store.list(prefix)).map(({ key }) => key.slice(prefix.length).replace(/\.gz$/, ''));
  const start = positionOf(startSegment);
  const segments = names.filter((name) => name.length === 24 && positionOf(name) >= start);
  return {
    segments: segments.toSorted(
      (one, other) => Number(positionOf(one) - positionOf(other)) || one.localeCompare(other),
    ),
    histories: names.filter((name) => name.endsWith('.history')),
  };
}

/**
 * Settings with which a restored server recovers: to a moment as a standby of nobody, which takes the WAL that is laid into
 * its folder; without one to the end of what its backup holds. Nothing of the former cluster may run meanwhile.
 * @param at the moment; null: that of the backup
 */
export const recoverySettings = (at: Date | null): Record<string, string | number | boolean> => ({
  // A standby needs at least as many as the server had whose log it reads.
  max_connections: 1000,
  max_logical_replication_workers: 0,
  archive_mode: false,
  ssl: false,
  synchronous_standby_names: '',
  recovery_target_timeline: 'latest',
  ...(at && {
    recovery_target_time: at.toISOString().replace('T', ' ').replace('Z', '+00'),
    recovery_target_inclusive: false,
    recovery_target_action: 'promote',
  }),
});

/** How far a server has come that recovers. */
export type RecoveryState = { replayed: bigint } | 'done';

export const RECOVERY_QUESTION = `SELECT pg_is_in_recovery() AS recovering,
  pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text AS replayed`;

export function recoveryState(row: { recovering: boolean; replayed: string | null } | undefined): RecoveryState {
  return row?.recovering === false ? 'done' : { replayed: BigInt(row?.replayed ?? 0) };
}
