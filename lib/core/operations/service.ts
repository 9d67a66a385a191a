import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { equals, equalsId, type Filters, listOf, ofAllTenants, ofProject } from '@/lib/core/api/list';
import { newId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import {
  type Operation,
  type OperationDetails,
  operationQuery,
  type ProjectOperation,
  projectOperationQuery,
} from './schema';

type Times = 'run_at' | 'deadline_at' | 'created_at' | 'updated_at';
type Row = Omit<Operation, Times | 'finished_at'> & Record<Times, Date> & { finished_at: Date | null };

/**
 * Why an operation `o` cannot be retried: its quota is released and would have to be claimed again, a later operation
 * of the resource has superseded it, or it is still running.
 */
const retryRefusal = raw(`CASE
  WHEN o.status IN ('succeeded', 'cancelled') THEN 'The operation has already ' || CASE o.status WHEN 'succeeded' THEN 'succeeded.' ELSE 'been cancelled.' END
  WHEN o.lease_owner IS NOT NULL THEN 'The operation is running.'
  WHEN o.released THEN 'Its quota has been returned. Create the resource again.'
  WHEN o.status = 'failed' AND EXISTS (SELECT FROM operations later WHERE later.resource_id = o.resource_id AND later.id > o.id)
    THEN 'A later operation on the same resource replaced it.'
END`);

const columns = sql`o.id, o.project_id, p.name AS tenant_name, p.slug AS tenant_slug, o.kind, o.resource_type, o.resource_id,
  o.status, o.stage, o.attempts, o.error, o.cell_id AS host_id,
  (SELECT d.node FROM devices d WHERE d.project_id = o.project_id AND d.id = o.resource_id) AS node, o.lease_owner AS worker, o.run_at,
  o.deadline_at + coalesce(platform_now() - o.waiting_since, interval '0') AS deadline_at, o.finished_at,
  o.request_id, ${retryRefusal} AS retry_refusal, o.created_at, o.updated_at`;
const from = raw('operations o LEFT JOIN projects p ON p.id = o.project_id');

function view(row: Row): Operation {
  return {
    ...row,
    run_at: row.run_at.toISOString(),
    deadline_at: row.deadline_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const filters = {
  status: equals('o.status'),
  kind: equals('o.kind'),
  resource_id: equalsId('o.resource_id'),
  request_id: equals('o.request_id'),
} satisfies Filters<typeof projectOperationQuery>;

/** All operations of the platform, newest first. */
export const listOperations = listOf({
  query: operationQuery,
  columns,
  from,
  id: 'o.id',
  where: ofAllTenants,
  filters: { ...filters, tenant_id: equalsId('o.project_id') },
  view,
});

type ProjectRow = Omit<ProjectOperation, 'created_at' | 'updated_at' | 'finished_at'> & {
  created_at: Date;
  updated_at: Date;
  finished_at: Date | null;
};

// Intermediate problems may mention the host; a failure reason is written for the resource's owner.
const projectColumns = raw(`o.id, o.kind, o.resource_type, o.resource_id, o.status, o.stage, o.request_id,
  CASE WHEN o.status = 'failed' THEN o.error END AS error, o.created_at, o.updated_at, o.finished_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('stage', l.stage, 'at', l.at) ORDER BY l.at, l.id), '[]')
   FROM operation_logs l WHERE l.operation_id = o.id AND l.level = 'stage') AS transitions`);

/** The project's operations, newest first. */
export const listProjectOperations = listOf({
  query: projectOperationQuery,
  columns: projectColumns,
  from: raw('operations o'),
  id: 'o.id',
  where: ofProject('o'),
  filters,
  view: (row: ProjectRow): ProjectOperation => ({
    ...row,
    transitions: row.transitions.map(({ stage, at }) => ({ stage, at: new Date(at).toISOString() })),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }),
});

/** One operation with its transitions and log. @throws ApiError 404 */
export async function readOperation(_call: AdministratorCall, id: string): Promise<OperationDetails> {
  const row = await queryOne<Row>(sql`SELECT ${columns} FROM ${from} WHERE o.id = ${id}::uuid`);
  if (!row) throw notFound('The operation', '');
  return { ...view(row), ...(await operationHistory(id)) };
}

type Line = { at: Date; level: 'stage' | 'info' | 'warning' | 'error'; stage: string; message: string };

/** The start of each stage and the log messages of an operation. */
async function operationHistory(id: string): Promise<Pick<OperationDetails, 'transitions' | 'logs'>> {
  const lines = await query<Line>(sql`
    SELECT at, level, stage, message FROM operation_logs WHERE operation_id = ${id}::uuid ORDER BY at, id`);
  const transitions = lines.filter(({ level }) => level === 'stage');
  const logs = lines.flatMap(({ at, level, stage, message }) =>
    message === ''
      ? []
      : [{ at: at.toISOString(), level: level === 'stage' ? ('info' as const) : level, stage, message }],
  );
  return { transitions: transitions.map(({ stage, at }) => ({ stage, at: at.toISOString() })), logs };
}

/** The row update for a retry; a failed operation gets its full time again. */
const triedAnew = raw(`run_at = platform_now(), attempts = 0, updated_at = platform_now(),
  deadline_at = CASE WHEN status = 'failed' THEN platform_now() + (deadline_at - created_at) ELSE deadline_at END,
  status = CASE WHEN status = 'failed' THEN 'pending' ELSE status END,
  error = CASE WHEN status = 'failed' THEN NULL ELSE error END,
  failing = failing AND status <> 'failed', finished_at = NULL`);

/**
 * Retries an operation at once. One that waits after a failure skips its pause. A failed one restarts at the failed
 * stage with its full time, and so do its failed children. @throws ApiError 404, 409 when it cannot be retried
 */
export async function retryOperation(call: AdministratorCall, id: string): Promise<OperationDetails> {
  const { project_id, kind, resource_type, resource_id } = await readOperation(call, id);
  await commit(call, {
    project_id,
    resource: { type: 'operation', id, name: kind },
    target: sql`SELECT ${retryRefusal} IS NULL AS allowed, ${retryRefusal} AS state, o.stage, o.error
                FROM k JOIN operations o ON o.project_id IS NOT DISTINCT FROM k.project_id
                WHERE o.id = ${id}::uuid FOR UPDATE OF o`,
    forbidden: (refusal) => refusal,
    rows: {
      retried: sql`UPDATE operations o SET ${triedAnew} FROM ${ifAdmitted} AND o.id = ${id}::uuid`,
      children: sql`UPDATE operations o SET ${triedAnew}
        FROM ${ifAdmitted} AND o.status = 'failed' AND ${retryRefusal} IS NULL AND o.id IN (
          WITH RECURSIVE tree AS (
            SELECT id FROM operations WHERE parent_id = ${id}::uuid
            UNION ALL SELECT child.id FROM operations child JOIN tree ON child.parent_id = tree.id
          ) SELECT id FROM tree)`,
      noted: sql`INSERT INTO operation_logs (id, operation_id, at, level, stage, message)
        SELECT ${newId()}::uuid, ${id}::uuid, platform_now(), 'info', target.stage, 'An administrator ordered another try.'
        FROM target, ${ifAdmitted}`,
    },
    details: sql`(SELECT jsonb_build_object('resource_type', ${resource_type}::text, 'resource_id', ${resource_id}::text,
      'error', target.error) FROM target)`,
  });
  return readOperation(call, id);
}
