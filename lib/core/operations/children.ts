import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { type NewOperation, operationInsert } from './enqueue';
import { type OperationFacts, type Outcome, type Step, type StepWrite, waitForChildren } from './steps';

/** A child operation as its parent sees it. */
export type Child = {
  readonly name: string;
  readonly status: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Why it failed, or its latest problem. */
  readonly error: string | null;
  readonly resource_id: string;
};

export const isUnfinished = ({ status }: Child) => status === 'pending' || status === 'running';

/** The child operations started so far, by name. */
export async function childrenOf({ operation }: Step<unknown>): Promise<ReadonlyMap<string, Child>> {
  const rows = await query<Child>(sql`SELECT child_name AS name, status, error, resource_id FROM operations
    WHERE parent_id = ${operation.id}::uuid ORDER BY id`);
  return new Map(rows.map((child) => [child.name, child]));
}

/**
 * Starts the missing children of `write`, waits until all have ended, then calls `then`. A failed child, or one
 * cancelled because its resource was deleted, fails its parent only if `then` says so. The rows of `write` are written
 * with the first start, and not again while the parent waits.
 */
export async function withChildren<Next extends Outcome<string>>(
  step: Step<unknown>,
  write: StepWrite & { children: Record<string, NewOperation> },
  then: (children: readonly Child[]) => Next | Promise<Next>,
) {
  const started = await childrenOf(step);
  const children = Object.keys(write.children).flatMap((name) => started.get(name) ?? []);
  if (children.length < Object.keys(write.children).length) return waitForChildren(write);
  const { waits_for } = write;
  return children.some(isUnfinished) ? waitForChildren(waits_for === undefined ? {} : { waits_for }) : then(children);
}

/** The parts of a transition that start children, each unless the operation already has one of that name. */
export function childrenStarted(
  parent: OperationFacts,
  children: Record<string, NewOperation>,
): [name: string, piece: Sql][] {
  return Object.entries(children).map(([name, child], index) => {
    if (child.resource.id === parent.resource_id) {
      throw new Error(`${parent.kind}: the child ${name} would wait for its parent, which works on the same resource`);
    }
    const isNew = sql`(SELECT verdict.project_id FROM verdict WHERE verdict.ok AND NOT EXISTS (SELECT FROM operations started
      WHERE started.parent_id = ${parent.id}::uuid AND started.child_name = ${name}::text)) AS startable`;
    const origin = { at: now(), request_id: parent.request_id };
    return [`child${index}`, operationInsert(origin, child, parent.project_id, isNew, { id: parent.id, name })];
  });
}

/** Locks the parent of an ending operation. Locks go from parents to children, as when a delete locks a tree. */
export function parentLocked(parentId: string): Sql {
  return sql`SELECT p.id FROM k CROSS JOIN operations p WHERE p.id = ${parentId}::uuid FOR UPDATE OF p`;
}

/** Wakes the parent to check its children. */
export function parentWoken(parentId: string): Sql {
  return sql`UPDATE operations SET children_ended = children_ended + 1, run_at = least(run_at, platform_now())
    FROM verdict WHERE verdict.ok AND operations.id = ${parentId}::uuid AND operations.status IN ('pending', 'running')`;
}

/** Interval at which a waiting parent checks again, even without a wake-up. */
const LOOK_MS = 60_000;

/**
 * The row update of an operation that waits for children: until one ends, or not at all if one has ended since the
 * step's lease. The deadline is paused meanwhile, because each child has its own.
 */
export function waitingForChildren(childrenEnded: number): Sql {
  return sql`waiting_since = platform_now(), run_at = CASE WHEN children_ended = ${childrenEnded}::int
    THEN platform_now() + ${LOOK_MS}::float8 * interval '1 millisecond' ELSE platform_now() END`;
}

/** The row update on a lease: moves the deadline by the time spent waiting for children. */
export const timeGoesOn = raw(
  `deadline_at = deadline_at + coalesce(platform_now() - waiting_since, interval '0'), waiting_since = NULL`,
);
