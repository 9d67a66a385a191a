import type { Call } from '@/lib/api/endpoint';
import type { Prisma } from '@/lib/db/generated/client';
import { newId } from '@/lib/db/id';
import { insert, type Sql } from '@/lib/db/sql';

/** A piece of work for the workers, written by the statement that made it necessary. */
export type NewOperation = {
  kind: string;
  resource: { type: string; id: string };
  /** Its first step. */
  stage: string;
  input?: Prisma.InputJsonValue;
  /** Only this host's worker may run it. */
  host_id?: string;
  /** After this long it has failed. */
  deadline_ms: number;
};

/** The operation's row as a part of a statement; `from` decides whether it comes to be. */
export function operationInsert(
  origin: Pick<Call, 'at' | 'request_id'>,
  operation: NewOperation,
  projectId: string | null,
  from: Sql,
): Sql {
  return insert<Prisma.OperationUncheckedCreateInput>(
    'operations',
    {
      id: newId(),
      project_id: projectId,
      kind: operation.kind,
      resource_type: operation.resource.type,
      resource_id: operation.resource.id,
      stage: operation.stage,
      status: 'pending',
      input: operation.input ?? {},
      attempts: 0,
      host_id: operation.host_id ?? null,
      run_at: origin.at,
      deadline_at: new Date(origin.at.getTime() + operation.deadline_ms),
      request_id: origin.request_id,
      created_at: origin.at,
      updated_at: origin.at,
    },
    from,
  );
}
