import { now } from '@/lib/clock';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { nextRun } from '../service';

/** A time that nobody was there for is missed after this long, and not made up. */
const MISSED_MS = 60_000;

type Due = { id: string; project_id: string; schedule: string; next_run_at: Date; is_suspended: boolean };

/** Queues an event for each function whose time has come, once for each time. */
export async function runSchedules(cell: string): Promise<void> {
  const due = await query<Due>(sql`
    SELECT f.id, f.project_id, f.schedule, f.next_run_at, p.status = 'suspended' AS is_suspended
    FROM functions f JOIN projects p ON p.id = f.project_id
    WHERE f.cell_id = ${cell}::text AND f.next_run_at <= platform_now() LIMIT 100`);
  for (const one of due) await runOne(cell, one);
}

async function runOne(cell: string, { id, project_id, schedule, next_run_at, is_suspended }: Due): Promise<void> {
  const at = now();
  const isMissed = at.getTime() - next_run_at.getTime() > MISSED_MS;
  // The last of many that passed may not be missed yet.
  const next = nextRun(schedule, isMissed ? new Date(at.getTime() - MISSED_MS) : at);
  const payload = JSON.stringify({ source: 'schedule', schedule, time: next_run_at.toISOString() });
  // Whoever moves the time on queues the event: a twin finds the time moved.
  await execute(sql`
    WITH moved AS (
      UPDATE functions SET next_run_at = ${next}::timestamptz
      WHERE id = ${id}::uuid AND next_run_at = ${next_run_at}::timestamptz AND schedule = ${schedule}::text RETURNING id
    )
    INSERT INTO function_invocations (id, project_id, function_id, cell_id, mode, trigger, status, payload, created_at, next_attempt_at)
    SELECT ${newId()}::uuid, ${project_id}::uuid, id, ${cell}::text, 'async', 'schedule', 'queued', ${payload}::text, platform_now(),
      platform_now() FROM moved WHERE ${!is_suspended && !isMissed}::boolean`);
}
