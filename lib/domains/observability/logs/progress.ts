import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';

/** Where a source was read to. */
export async function progressOf(source: string): Promise<string | null> {
  const [row] = await query<{ cursor: string }>(sql`SELECT cursor FROM log_cursors WHERE source = ${source}::text`);
  return row?.cursor ?? null;
}
