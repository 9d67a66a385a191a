import { setClockOffset } from '@/lib/clock';
import { execute } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';

/**
 * Shifts the clock of this test by this many milliseconds: the time of new rows, and `platform_now()` in the test's own
 * database. Zero resets it.
 */
export async function setTestClock(offsetMs: number): Promise<void> {
  if (!Number.isSafeInteger(offsetMs)) throw new Error('a test clock is moved by whole milliseconds');
  setClockOffset(offsetMs);
  await execute(
    sql`CREATE OR REPLACE FUNCTION platform_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
        AS ${raw(`'SELECT clock_timestamp() + interval ''${offsetMs} milliseconds'''`)}`,
  );
}

/**
 * Freezes the clock of this test's database, so that billed amounts can be computed by hand. The process's own clock
 * keeps running.
 */
export async function stopTestClock(at: string): Promise<void> {
  const moment = new Date(at);
  setClockOffset(moment.getTime() - Date.now());
  await execute(
    sql`CREATE OR REPLACE FUNCTION platform_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
        AS ${raw(`'SELECT timestamptz ''${moment.toISOString()}'''`)}`,
  );
}
