import { onChange } from '@/lib/core/db/changes';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';

/** Something changed: whoever shows it should read it again. */
export type Hint = { project_id: string | null; topic: string; resource_id: string | null };

/** `missed`: too much happened to say it in hints, so everything shown may be old. */
export type News = { hints: readonly Hint[]; missed: boolean };

/** Which transactions a read has seen: all below `xmax` but those that were `running`. */
type Position = { xmax: string; running: string[] };

const MOST_HINTS = 1000;
/** Shorter than changes are kept; a reader that slept longer cannot know what it missed. */
const MOST_SLEEP_MS = 10 * 60_000;

/**
 * Reads the table of changes from here on, for as long as it is not stopped: each change exactly once, soon after it was
 * committed. Ids are drawn before a commit, so that reading "above the last id" would lose the change of a slower
 * transaction. Transaction ids tell exactly: a read gives what is of a transaction that the read before it could not see.
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

/** The changes after a position, each resource once, and the position of this read; both of one snapshot. */
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
