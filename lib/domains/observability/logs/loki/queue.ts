import { execute } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { progressOf } from '../progress';

/** Chunks wait in `log_pushes`. A row of `log_cursors` says which Loki they are for. */
const PREFIX = 'loki ';
/** The cursor once all chunks that were stored before are queued; before that, the transaction that wrote the row. */
const FILLED = 'filled';

const pushing = sql`FROM log_cursors WHERE starts_with(source, ${PREFIX}::text)`;

/** Whether new chunks are queued. */
export const isPushing: Sql = sql`EXISTS (SELECT ${pushing})`;

/** Whether a merged chunk must be queued: one of its parts is, or may be while the queue is filled. */
export const isWaiting = (ids: readonly string[]): Sql => sql`(EXISTS (SELECT ${pushing} AND cursor <> ${FILLED}::text)
  OR EXISTS (SELECT FROM log_pushes WHERE chunk_id = ANY (${ids}::bigint[])))`;

/**
 * Queues all stored chunks for a Loki that has none yet. Writers that began earlier do not know of it, so the queue is filled
 * only after they have ended: a call or two later. The lock skips chunks that are merged meanwhile: `isWaiting` queues theirs.
 */
export async function beginPushing(loki: string): Promise<void> {
  const source = `${PREFIX}${loki}`;
  const cursor = await progressOf(source);
  if (cursor === FILLED) return;
  if (cursor === null) {
    await execute(sql`
      WITH former AS (DELETE ${pushing} AND source <> ${source}::text)
      INSERT INTO log_cursors (source, cursor, updated_at)
      VALUES (${source}::text, pg_current_xact_id()::text, platform_now()) ON CONFLICT DO NOTHING`);
  }
  await execute(sql`
    WITH moved AS (
      UPDATE log_cursors SET cursor = ${FILLED}::text, updated_at = platform_now()
      WHERE source = ${source}::text AND CASE WHEN cursor = ${FILLED}::text THEN false
        ELSE cursor::bigint < pg_snapshot_xmin(pg_current_snapshot())::text::bigint END
      RETURNING 1)
    INSERT INTO log_pushes (chunk_id, first_us) SELECT id, first_us FROM log_chunks, moved FOR KEY SHARE OF log_chunks ON CONFLICT DO NOTHING`);
}

/** Without a Loki nothing waits. One that is set later gets all lines. */
export async function endPushing(): Promise<void> {
  await execute(sql`
    WITH gone AS (DELETE ${pushing} RETURNING 1) DELETE FROM log_pushes WHERE EXISTS (SELECT FROM gone)`);
}
