import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import type { StreamLabels } from './labels';
import { type LogEntry, writeLogs } from './write';

const BATCH = 500;
/** Found in the log within about a second; workers look for due jobs as often. */
const EVERY_MS = 1000;

/** Copies the audit entries of projects into their logs. */
export const auditJob: PeriodicJob = {
  name: 'copy audit entries to the log',
  every_ms: EVERY_MS,
  run: copyAuditEntries,
};

type Row = {
  id: string;
  project_id: string;
  at: Date;
  actor_type: string;
  actor_name: string;
  action: string;
  resource_type: string | null;
  resource_id: string | null;
  resource_name: string | null;
  result: string;
  status: number;
  code: string | null;
  address: string | null;
  request_id: string | null;
};

/** Each entry is copied once: the statement that stores its line takes it off the queue. */
export async function copyAuditEntries(signal: AbortSignal): Promise<void> {
  for (let rows = await queued(); rows.length > 0 && !signal.aborted; rows = await queued()) {
    await writeLogs(rows.map(lineOf), { queued: rows.map(({ id }) => id) });
    if (rows.length < BATCH) return;
  }
}

const queued = () =>
  query<Row>(sql`
    SELECT e.id, e.project_id, e.at, e.actor_type, e.actor_name, e.action, e.resource_type, e.resource_id, e.resource_name, e.result,
      e.status, e.code, e.address, e.request_id
    FROM log_audit_queue q JOIN audit_entries e ON e.id = q.entry_id ORDER BY e.id LIMIT ${BATCH}::int`);

const levels: Readonly<Record<string, string>> = { succeeded: 'info', refused: 'warn', failed: 'error' };

/** Without details: those may be long, and the audit log has them. */
function lineOf({ id, project_id, at, ...entry }: Row): LogEntry {
  const { resource_id, resource_name } = entry;
  const labels: StreamLabels = {
    service: 'audit',
    ...(resource_id ? { resource_id } : {}),
    ...(resource_name ? { resource_name } : {}),
    level: levels[entry.result] ?? 'info',
    stream: 'audit',
  };
  const known = Object.entries({ id, ...entry }).filter(([, value]) => value !== null);
  return { project_id, labels, at, text: JSON.stringify(Object.fromEntries(known)) };
}
