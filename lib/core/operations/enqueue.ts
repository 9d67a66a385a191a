import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { insert, type NewRow, raw, type Sql, sql } from '@/lib/core/db/sql';

/** An operation to insert with the statement that requires it; created by `OperationKind.start`. */
export type NewOperation = {
  kind: string;
  resource: { type: string; id: string };
  /** The first stage. */
  stage: string;
  input: Prisma.InputJsonValue;
  /** The cell whose engines it uses and whose worker must run it, or `platform`: no engine, any worker. */
  place: { cell_id: string } | 'platform';
  /** It fails after this time. */
  deadline_ms: number;
  /**
   * For deletes: cancels other unfinished operations of the resource and the children that they started elsewhere, and
   * waits only until their workers have stopped.
   */
  supersedes?: boolean;
};

/**
 * Inserts the operation's row as part of a statement; `from` decides whether it is inserted.
 * @param parent the operation that starts it, and the child's name there
 */
export function operationInsert(
  origin: { at: Date; request_id: string | null },
  operation: NewOperation,
  projectId: string | null,
  from: Sql,
  parent?: { id: string; name: string },
): Sql {
  const { resource } = operation;
  const { at, request_id } = origin;
  const orderedBy = parent ? sql`, ${parent.id}::uuid` : raw('');
  const admitted = operation.supersedes
    ? sql`(SELECT supersede_operations(${resource.id}::uuid, ${at}::timestamptz${orderedBy}) FROM ${from}) AS superseded`
    : from;
  const row = rowOf(operation, { id: newId(), project_id: projectId, resource_id: resource.id, at }, request_id);
  return insert('operations', { ...row, parent_id: parent?.id, child_name: parent?.name }, admitted);
}

/**
 * Inserts an operation for each row of `from`: `of` gives its id, project and resource, as expressions over that row. The
 * operation's own resource id is not used, and nothing is superseded.
 */
export function operationsInsert(
  at: Date,
  operation: NewOperation,
  of: Record<'id' | 'project_id' | 'resource_id', Sql | string>,
  from: Sql,
): Sql {
  return insert('operations', rowOf(operation, { ...of, at }, null), from);
}

type Of = { id: Sql | string; project_id: Sql | string | null; resource_id: Sql | string; at: Date };

function rowOf(
  { kind, resource, stage, input, place, deadline_ms }: NewOperation,
  { id, project_id, resource_id, at }: Of,
  request_id: string | null,
): NewRow<Prisma.OperationUncheckedCreateInput> {
  return {
    id,
    project_id,
    kind,
    resource_type: resource.type,
    resource_id,
    stage,
    status: 'pending',
    input,
    attempts: 0,
    scope: place === 'platform' ? 'platform' : 'cell',
    cell_id: place === 'platform' ? null : place.cell_id,
    run_at: raw('platform_now()'),
    deadline_at: sql`platform_now() + ${deadline_ms}::float8 * interval '1 millisecond'`,
    request_id,
    created_at: at,
    updated_at: at,
  };
}
