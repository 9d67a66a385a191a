import { newId } from '@/lib/core/db/id';
import { databaseError, execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { timeGoesOn } from './children';
import type { OperationFacts } from './steps';

/** A holder of leases: one worker of one cell. `id` is new on every start. */
export type LeaseHolder = { id: string; cell_id: string; lease_ms: number };

/** An operation that only this worker may run until its lease expires. */
export type LeasedOperation = OperationFacts & {
  input: unknown;
  lease_token: number;
  parent_id: string | null;
  children_ended: number;
  /** The time from its start to its deadline. */
  allowed_ms: number;
  /** The time until its deadline; negative after it. */
  remaining_ms: number;
} & (
    | { failing: false; error: string | null }
    /** The operation has failed with this reason, and its failure handler runs. */
    | { failing: true; error: string }
  );

/** The free slots of a worker for a kind of operation. */
export type Room = { kind: string; slots: number };

const UNIQUE_VIOLATION = '23505';

/**
 * Leases due operations: for each resource the oldest unfinished one, unless a worker still holds another operation of
 * the resource, or one that this delete has cancelled. Work of a cell goes to the cell's own worker, work of the
 * platform to any. Operations that other workers are leasing are skipped without waiting.
 */
export async function lease(holder: LeaseHolder, rooms: readonly Room[], slots: number): Promise<LeasedOperation[]> {
  const kinds = rooms.map(({ kind }) => kind);
  const limits = rooms.map((room) => Math.min(room.slots, slots));
  const logIds = Array.from({ length: slots }, () => newId());
  try {
    return await query<LeasedOperation>(sql`
      WITH due AS MATERIALIZED (
        SELECT candidate.id FROM unnest(${kinds}::text[], ${limits}::int[]) AS room (kind, slots) CROSS JOIN LATERAL (
          SELECT o.id, o.run_at FROM operations o
          WHERE o.kind = room.kind AND o.status IN ('pending', 'running') AND o.lease_owner IS NULL
            AND o.run_at <= (SELECT platform_now()) AND (o.scope = 'platform' OR o.cell_id = ${holder.cell_id}::text)
            AND NOT EXISTS (
              SELECT FROM operations other WHERE other.resource_id = o.resource_id AND other.id <> o.id
                AND (other.lease_owner IS NOT NULL OR (other.status IN ('pending', 'running') AND other.id < o.id)))
            AND NOT EXISTS (SELECT FROM operations part WHERE part.yields_to = o.resource_id AND part.lease_owner IS NOT NULL)
          ORDER BY o.run_at LIMIT room.slots FOR UPDATE OF o SKIP LOCKED
        ) AS candidate ORDER BY candidate.run_at LIMIT ${slots}::int
      ), leased AS (
      UPDATE operations SET status = 'running', lease_owner = ${holder.id}::text, lease_token = lease_token + 1,
        lease_until = platform_now() + ${holder.lease_ms}::float8 * interval '1 millisecond', updated_at = platform_now(), ${timeGoesOn}
      FROM due WHERE operations.id = due.id
      RETURNING operations.id, project_id, kind, resource_type, resource_id, stage, attempts, request_id, created_at, input,
        failing, error, lease_token, parent_id, cell_id, children_ended, (extract(epoch FROM deadline_at - created_at) * 1000)::float8 AS allowed_ms,
        (extract(epoch FROM deadline_at - platform_now()) * 1000)::float8 AS remaining_ms
      ), begun AS (
        INSERT INTO operation_logs (id, operation_id, at, level, stage, message)
        SELECT (${logIds}::uuid[])[row_number() OVER ()], id, platform_now(), 'stage', stage, '' FROM leased WHERE lease_token = 1
      )
      SELECT * FROM leased`);
  } catch (error) {
    // Another worker has just leased another operation of this resource; the next search will see it.
    if (databaseError(error)?.code === UNIQUE_VIOLATION) return [];
    throw error;
  }
}

/**
 * Renews leases.
 * @returns those still held; the others were cancelled by a delete or had expired
 */
export async function renew(holder: LeaseHolder, held: readonly LeasedOperation[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>(sql`
    UPDATE operations SET lease_until = platform_now() + ${holder.lease_ms}::float8 * interval '1 millisecond'
    FROM unnest(${held.map(({ id }) => id)}::uuid[], ${held.map(({ lease_token }) => lease_token)}::int[]) AS held (id, token)
    WHERE operations.id = held.id AND lease_owner = ${holder.id}::text AND lease_token = held.token AND status = 'running'
    RETURNING operations.id`);
  return new Set(rows.map(({ id }) => id));
}

/** Those that a delete has cancelled or another worker has taken over. */
export async function endedElsewhere(holder: LeaseHolder, held: readonly LeasedOperation[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>(sql`
    SELECT held.id FROM unnest(${held.map(({ id }) => id)}::uuid[], ${held.map(({ lease_token }) => lease_token)}::int[]) AS held (id, token)
    LEFT JOIN operations o ON o.id = held.id AND o.lease_owner = ${holder.id}::text AND o.lease_token = held.token AND o.status = 'running'
    WHERE o.id IS NULL`);
  return new Set(rows.map(({ id }) => id));
}

/** Releases the lease of a step that ended without a transition, so that others need not wait for it to expire. */
export async function letGo(holder: LeaseHolder, { id, lease_token }: LeasedOperation): Promise<void> {
  await execute(sql`
    UPDATE operations SET lease_owner = NULL, lease_until = NULL
    WHERE id = ${id}::uuid AND lease_owner = ${holder.id}::text AND lease_token = ${lease_token}::int`);
}

/** Frees operations whose lease expired because the worker died or hangs. */
export async function reclaim(): Promise<void> {
  const reclaimed = await query<{ id: string; stage: string; status: string }>(sql`
    WITH lost AS MATERIALIZED (
      SELECT id FROM operations WHERE lease_owner IS NOT NULL AND lease_until <= (SELECT platform_now())
      FOR UPDATE SKIP LOCKED
    )
    UPDATE operations SET lease_owner = NULL, lease_until = NULL FROM lost WHERE operations.id = lost.id
    RETURNING operations.id, stage, status`);
  for (const { id, stage } of reclaimed.filter(({ status }) => status === 'running')) {
    await execute(sql`
      INSERT INTO operation_logs (id, operation_id, at, level, stage, message)
      VALUES (${newId()}::uuid, ${id}::uuid, platform_now(), 'warning', ${stage}::text, 'Its worker was lost; another one goes on.')`);
  }
}
