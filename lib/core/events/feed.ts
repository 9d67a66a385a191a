import { onChange } from '@/lib/core/db/changes';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';

/** A change notice: pages that show the resource should refetch it. */
export type Hint = { project_id: string | null; topic: string; resource_id: string | null };

/** `missed`: too many changes to list, so everything shown may be stale. */
export type News = { hints: readonly Hint[]; missed: boolean };

/** The transactions that a read has seen: all below `xmax` except those in `running`. */
type Position = { xmax: string; running: string[] };

const MOST_HINTS = 1000;
/** Must be shorter than the retention of changes; a reader that slept longer does not know what it missed. */
const MOST_SLEEP_MS = 10 * 60_000;

/**
 * Follows the table of changes from now until stopped: each change exactly once, soon after its commit. Reading "above
 * the last id" would miss changes of slower transactions, because ids are drawn before the commit. So each read returns
 * the changes of the transactions that the previous read could not see.
 */
export async function followChanges(tell: (news: News) => void): Promise<{ stop(): Promise<void> }> {
  let position = (await read()).position;
  let readAt = performance.now();
  return onChange(async () => {
    const asked = performance.now();
    const news = await read(position);
    position = news.position;
    const missed = news.hints.length > MOST_HINTS || asked - readAt > MOST_SLEEP_MS;
    readAt = asked;
    if (missed || news.hints.length > 0) tell({ hints: missed ? [] : news.hints, missed });
  });
}

/** The changes after a position, one per resource, and the position of this read, from one snapshot. */
async function read(after?: Position): Promise<{ position: Position; hints: Hint[] }> {
  const row = await queryOne<{ xmax: string; running: string[]; hints: Hint[] | null }>(sql`
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xmax,
      ARRAY(SELECT pg_snapshot_xip(pg_current_snapshot())::text) AS running,
      (SELECT jsonb_agg(hint) FROM (
         SELECT DISTINCT project_id, topic, resource_id FROM changes
         WHERE xid >= ${after?.xmax ?? null}::bigint OR xid = ANY (${after?.running ?? []}::bigint[])
         LIMIT ${MOST_HINTS + 1}::int) AS hint) AS hints`);
  if (!row) throw new Error('PostgreSQL gave no snapshot');
  return { position: { xmax: row.xmax, running: row.running }, hints: row.hints ?? [] };
}
