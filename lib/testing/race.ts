import pg from 'pg';
import { databaseUrl } from '@/lib/settings';

/**
 * Runs a race with a common start: `lock` locks rows that every runner needs, and is released once each waits for a
 * lock. A check made outside the lock is thus made by all runners before any has written.
 */
export async function race<T>(lock: string, runners: readonly (() => Promise<T>)[]): Promise<T[]> {
  const holder = new pg.Client(databaseUrl());
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    const running = Promise.all(runners.map((run) => run()));
    const waiting = `SELECT count(*)::int AS waiting FROM pg_stat_activity
                     WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    for (const begun = Date.now(); ; ) {
      // Otherwise a transaction reads the statement activity only once.
      await holder.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await holder.query<{ waiting: number }>(waiting);
      if (rows[0]?.waiting === runners.length) break;
      if (Date.now() - begun > 10_000) throw new Error(`${rows[0]?.waiting} of ${runners.length} came to the line`);
    }
    await holder.query('COMMIT');
    return await running;
  } finally {
    await holder.end();
  }
}
