import { onChange } from '@/lib/core/db/changes';
import { queryRow } from '@/lib/core/db/pool';
import { isAfter, ownPosition, type Position } from '@/lib/core/db/position';
import { sql } from '@/lib/core/db/sql';

/** A change notice: pages that show the resource should refetch it. */
export type Hint = { project_id: string | null; topic: string; resource_id: string | null };

/** `missed`: too many changes to list, so everything shown may be stale. */
export type News = { hints: readonly Hint[]; missed: boolean };

const MOST_HINTS = 1000;
/** Must be shorter than the retention of changes; a reader that slept longer does not know what it missed. */
const MOST_SLEEP_MS = 10 * 60_000;

/**
 * Follows the table of changes from now until stopped: each change exactly once, soon after its commit. Each read returns
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
  const { hints, ...position } = await queryRow<Position & { hints: Hint[] | null }>(sql`
    SELECT ${ownPosition},
      (SELECT jsonb_agg(hint) FROM (
         SELECT DISTINCT project_id, topic, resource_id FROM changes
         WHERE ${after ? isAfter(after) : sql`false`} LIMIT ${MOST_HINTS + 1}::int) AS hint) AS hints`);
  return { position, hints: hints ?? [] };
}
