import { setClockOffset } from '@/lib/clock';
import { execute } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';

/**
 * Moves the clock of this test by so many milliseconds from the real one: what new rows carry, and `platform_now()` in
 * the test's own database. Zero sets it right again.
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
 * Stops the clock of this test's database at a moment, so that what is billed can be worked out by hand. The process's
 * own clock goes on from there.
 */
export async function stopTestClock(at: string): Promise<void> {
  const moment = new Date(at);
  setClockOffset(moment.getTime() - Date.now());
  await execute(
    sql`CREATE OR REPLACE FUNCTION platform_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
        AS ${raw(`'SELECT timestamptz ''${moment.toISOString()}'''`)}`,
  );
}
