import { now } from '@/lib/clock';
import { signalChange } from '@/lib/core/db/changes';
import type { Prisma } from '@/lib/core/db/generated/client';
import { hintInsert } from '@/lib/core/db/hint';
import { query, queryOne } from '@/lib/core/db/pool';
import { isDatabaseFull } from '@/lib/core/db/room';
import { raw, sql } from '@/lib/core/db/sql';
import { withoutHostPaths } from '@/lib/engines/error';
import { ownCell } from '@/lib/settings';
import type { EngineReport } from './schema';

/** Records the status of a cell's engine, about once a minute. Open pages are notified of changes. */
export async function reportEngine(
  cellId: string,
  report: { engine: string; status: EngineReport['status']; message: string; details?: Prisma.InputJsonObject },
): Promise<void> {
  const { engine, status, message, details = {} } = report;
  const changed = await queryOne(sql`
    WITH same AS (
      SELECT FROM engine_reports WHERE cell_id = ${cellId}::text AND engine = ${engine}::text AND status = ${status}::text
        AND message = ${message}::text AND details = ${JSON.stringify(details)}::jsonb
    ), reported AS (
      INSERT INTO engine_reports (cell_id, engine, status, message, details, updated_at)
      VALUES (${cellId}::text, ${engine}::text, ${status}::text, ${message}::text, ${JSON.stringify(details)}::jsonb, platform_now())
      ON CONFLICT (cell_id, engine) DO UPDATE SET status = excluded.status, message = excluded.message,
        details = excluded.details, updated_at = excluded.updated_at
    )
    ${hintInsert({ topic: 'engine', resource_id: cellId }, raw('(SELECT 1) AS always WHERE NOT EXISTS (SELECT FROM same)'))} RETURNING id`);
  if (changed) signalChange();
}

/** The database's report, in the same form as an engine's, while it has no disk space. */
function databaseFullReport(): EngineReport {
  const message =
    'The database has no disk space left: new resources are refused, reads and deletes work. Free up space on its disk.';
  const cellId = ownCell();
  const updated_at = now().toISOString();
  return { host_id: cellId, engine: 'database', status: 'degraded', message, details: {}, silent: false, updated_at };
}

type Row = Omit<EngineReport, 'updated_at'> & { updated_at: Date };

/** The latest report of every engine of every cell. */
export async function listEngineReports(): Promise<EngineReport[]> {
  const rows = await query<Row>(sql`
    SELECT cell_id AS host_id, engine, status, message, details, updated_at < platform_now() - interval '5 minutes' AS silent, updated_at
    FROM engine_reports ORDER BY cell_id, engine`);
  const reports = rows.map((row) => ({ ...row, updated_at: row.updated_at.toISOString() }));
  return isDatabaseFull() ? [databaseFullReport(), ...reports] : reports;
}

/** The reason for each engine that no cell has. */
export async function unavailableEngines(): Promise<Map<string, string>> {
  const rows = await query<{ engine: string; message: string }>(sql`
    SELECT DISTINCT ON (e.engine) e.engine, e.message FROM engine_reports e
    WHERE NOT EXISTS (SELECT FROM engine_reports other WHERE other.engine = e.engine AND other.status <> 'unavailable')
    ORDER BY e.engine, e.updated_at DESC`);
  return new Map(rows.map(({ engine, message }) => [engine, withoutHostPaths(message)]));
}
