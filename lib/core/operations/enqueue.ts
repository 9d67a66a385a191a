import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';

/** A piece of work for the workers, written by the statement that made it necessary; `OperationKind.start` makes one. */
export type NewOperation = {
  kind: string;
  resource: { type: string; id: string };
  /** Its first step. */
  stage: string;
  input: Prisma.InputJsonValue;
  /** It touches engines, those of this cell, and only this cell's worker may run it; or none, and any worker may. */
  place: { cell_id: string } | 'platform';
  /** After this long it has failed. */
  deadline_ms: number;
  /**
   * A delete: what else is under way for the resource is cancelled, with everything that this has started on other
   * resources, and it waits only for workers to let go.
   */
  supersedes?: boolean;
};

/**
 * The operation's row as a part of a statement; `from` decides whether it comes to be.
 * @param parent the operation that starts it, and its name there
 */
export function operationInsert(
  origin: { at: Date; request_id: string | null },
  operation: NewOperation,
  projectId: string | null,
  from: Sql,
  parent?: { id: string; name: string },
): Sql {
  const { resource, place } = operation;
  const { at, request_id } = origin;
  const orderedBy = parent ? sql`, ${parent.id}::uuid` : raw('');
  const admitted = operation.supersedes
    ? sql`(SELECT supersede_operations(${resource.id}::uuid, ${at}::timestamptz${orderedBy}) FROM ${from}) AS superseded`
    : from;
  return insert<Prisma.OperationUncheckedCreateInput>(
    'operations',
    {
      id: newId(),
      project_id: projectId,
      kind: operation.kind,
      resource_type: resource.type,
      resource_id: resource.id,
      stage: operation.stage,
      status: 'pending',
      input: operation.input,
      attempts: 0,
      scope: place === 'platform' ? 'platform' : 'cell',
      cell_id: place === 'platform' ? null : place.cell_id,
      run_at: raw('platform_now()'),
      deadline_at: sql`platform_now() + ${operation.deadline_ms}::float8 * interval '1 millisecond'`,
      request_id,
      parent_id: parent?.id,
      child_name: parent?.name,
      created_at: at,
      updated_at: at,
    },
    admitted,
  );
}
