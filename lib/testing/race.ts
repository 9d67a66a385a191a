import pg from 'pg';
import { databaseUrl } from '@/lib/settings';

/**
 * A race in which all runners stand at one line: `lock` takes rows that every one of them needs, and is let go once
 * each waits for a lock. So a check that is not made under the lock is made by all before any of them has written.
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
      // Within a transaction the activity is otherwise read once.
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
