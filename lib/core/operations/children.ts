import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { type NewOperation, operationInsert } from './enqueue';
import { type OperationFacts, type Outcome, type Step, type StepWrite, waitForChildren } from './steps';

/** An operation that another one has started, as its parent sees it. */
export type Child = {
  readonly name: string;
  readonly status: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Why it failed, or its last problem. */
  readonly error: string | null;
  readonly resource_id: string;
};

export const isUnfinished = ({ status }: Child) => status === 'pending' || status === 'running';

/** The children that an operation has started so far, by name. */
export async function childrenOf({ operation }: Step<unknown>): Promise<ReadonlyMap<string, Child>> {
  const rows = await query<Child>(sql`SELECT child_name AS name, status, error, resource_id FROM operations
    WHERE parent_id = ${operation.id}::uuid ORDER BY id`);
  return new Map(rows.map((child) => [child.name, child]));
}

/**
 * Starts the children of `write` that do not exist yet, waits until all of them have ended, and then decides: a child
 * that failed or was cancelled (its resource was deleted) fails its parent only where `then` says so. The rows of
 * `write` are written together with the first start; nothing is written while the parent only waits.
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

/** The parts of a transition that start children, each unless the operation has one of that name. */
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

/** Locks the parent of an operation that ends. From parents to children, as a delete locks a tree. */
export function parentLocked(parentId: string): Sql {
  return sql`SELECT p.id FROM k CROSS JOIN operations p WHERE p.id = ${parentId}::uuid FOR UPDATE OF p`;
}

/** Has the parent look at its children at once. */
export function parentWoken(parentId: string): Sql {
  return sql`UPDATE operations SET children_ended = children_ended + 1, run_at = least(run_at, platform_now())
    FROM verdict WHERE verdict.ok AND operations.id = ${parentId}::uuid AND operations.status IN ('pending', 'running')`;
}

/** A parent that waits looks again after so long, whatever happens. */
const LOOK_MS = 60_000;

/**
 * How a row changes that waits for children: until one of them ends, or at once where one has ended since the lease that
 * the step ran under. Its own time stands still: each child has a deadline of its own.
 */
export function waitingForChildren(childrenEnded: number): Sql {
  return sql`waiting_since = platform_now(), run_at = CASE WHEN children_ended = ${childrenEnded}::int
    THEN platform_now() + ${LOOK_MS}::float8 * interval '1 millisecond' ELSE platform_now() END`;
}

/** How a row changes that was leased: time in which it waited for children does not count. */
export const timeGoesOn = raw(
  `deadline_at = deadline_at + coalesce(platform_now() - waiting_since, interval '0'), waiting_since = NULL`,
);
