import { signalChange } from '@/lib/core/db/changes';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { closeIncident } from '@/lib/core/incidents/incident';
import { guarded } from '@/lib/core/quota/guarded';
import { crowded, demandParts } from '@/lib/core/quota/needs';
import { childrenStarted, parentLocked, parentWoken, waitingForChildren } from './children';
import type { LeasedOperation, LeaseHolder } from './lease';
import { again, type Outcome, type StepWrite } from './steps';

/** The incident key of a missed deadline: one per resource, until an operation on it succeeds. */
export const deadlineKey = (resourceId: string) => `deadline ${resourceId}`;

/** The outcome of a step, or the error of one that threw and will be retried. */
export type Transition =
  | Outcome<string>
  | { readonly end: 'retry'; readonly after_ms: number; readonly problem: string };

/** Interval between tries of a step that waits for room. */
const NO_ROOM_MS = 5000;

/**
 * Writes a transition with the step's rows, needs, release, log and change hint in one statement, and only under the
 * lease: a worker that lost it, or whose operation was cancelled by a delete, writes nothing. If a cell has no room for
 * the needs, the operation waits instead.
 * @returns the transition that was written
 */
export async function writeTransition(
  holder: LeaseHolder,
  operation: LeasedOperation,
  transition: Transition,
): Promise<Transition | undefined> {
  const written = await send(holder, operation, transition);
  if (written?.ok !== false) return written && transition;
  const waits_for = ('write' in transition && transition.write.waits_for) || 'Waiting for free capacity on the host.';
  const waiting = again(NO_ROOM_MS, { waits_for });
  return (await send(holder, operation, waiting)) && waiting;
}

/** @returns undefined without the lease; not ok without room */
async function send(
  holder: LeaseHolder,
  operation: LeasedOperation,
  transition: Transition,
): Promise<{ ok: boolean } | undefined> {
  const { id, project_id, lease_token } = operation;
  const write: StepWrite = 'write' in transition ? transition.write : {};
  const { needs = [], release } = write;
  const news = isNews(operation, transition);
  const rows = [...Object.entries(write.rows ?? {}), ...childrenStarted(operation, write.children ?? {})];
  const parent = transition.end === 'done' ? operation.parent_id : null;
  const { resource_id } = operation;
  const statement = guarded({
    lock: { project_id, account: project_id !== null && (rows.length > 0 || release !== undefined) },
    guard: [
      ['parent', parent ? parentLocked(parent) : undefined],
      [
        'held',
        sql`SELECT k.project_id FROM k ${raw(parent ? 'LEFT JOIN parent ON true' : '')} CROSS JOIN operations o WHERE o.id = ${id}::uuid AND o.status = 'running'
          AND o.lease_owner = ${holder.id}::text AND o.lease_token = ${lease_token}::int FOR UPDATE OF o`,
      ],
      ...demandParts(needs, false),
      ['verdict', sql`SELECT project_id, NOT ${crowded(needs)} AS ok FROM held`],
    ],
    needs,
    release: release && { resource_id, amounts: release === true ? undefined : release },
    rows: [
      ...rows,
      ['closed', transition.end === 'done' && !operation.failing ? closeIncident(deadlineKey(resource_id)) : undefined],
      ['woken', parent ? parentWoken(parent) : undefined],
      ['moved', move(holder, operation, transition)],
      ['logged', news ? logged(operation, transition) : undefined],
    ],
    // Hints for pages that show the resource, and for pages that show the operation.
    hints: news
      ? [
          { topic: operation.resource_type, resource_id },
          { topic: 'operation', resource_id: id },
        ]
      : [],
    returns: raw('ok'),
  });
  const written = await queryOne<{ ok: boolean }>(statement);
  if (written?.ok && news) signalChange();
  return written;
}

const letGo = 'lease_owner = NULL, lease_until = NULL';
const later = (ms: number) => sql`platform_now() + ${ms}::float8 * interval '1 millisecond'`;

function move(holder: LeaseHolder, operation: LeasedOperation, transition: Transition): Sql {
  const releases = 'write' in transition && transition.write.release !== undefined;
  return sql`UPDATE operations SET ${change(holder, operation, transition)}, released = released OR ${releases}::boolean,
    updated_at = platform_now() FROM verdict WHERE verdict.ok AND operations.id = ${operation.id}::uuid`;
}

/** Caps a pause at the deadline, so that an operation fails at its deadline and not after a pause. */
const pause = (ms: number, failing: boolean) =>
  failing ? later(ms) : sql`least(${later(ms)}, greatest(deadline_at, platform_now()))`;

/** Keeps the lease if the same worker continues at once. */
function change(holder: LeaseHolder, { failing, children_ended }: LeasedOperation, transition: Transition): Sql {
  switch (transition.end) {
    case 'stage':
      return sql`stage = ${transition.stage}::text, attempts = 0, error = NULL, lease_until = ${later(holder.lease_ms)}`;
    case 'again': {
      const error = failing ? raw('error') : sql`${transition.write.waits_for ?? null}::text`;
      const attempts = raw(transition.attempts === 'kept' ? 'attempts' : '0');
      return sql`attempts = ${attempts}, error = ${error}, run_at = ${pause(transition.after_ms, failing)}, ${raw(letGo)}`;
    }
    case 'children': {
      const error = failing ? raw('error') : sql`${transition.write.waits_for ?? null}::text`;
      return sql`attempts = 0, error = ${error}, ${waitingForChildren(children_ended)}, ${raw(letGo)}`;
    }
    case 'retry': {
      const error = failing ? raw('error') : sql`${transition.problem}::text`;
      return sql`attempts = attempts + 1, error = ${error}, run_at = ${pause(transition.after_ms, failing)}, ${raw(letGo)}`;
    }
    case 'failure':
      return sql`failing = true, attempts = 0, error = ${transition.reason}::text, lease_until = ${later(holder.lease_ms)}`;
    case 'done': {
      const result = failing ? "status = 'failed'" : "status = 'succeeded', error = NULL";
      return raw(`${result}, attempts = 0, finished_at = platform_now(), ${letGo}`);
    }
  }
}

type LogLine = { level: 'stage' | 'info' | 'warning' | 'error'; stage: string; message: string };

function logLine({ stage, failing }: LeasedOperation, transition: Transition): LogLine | undefined {
  switch (transition.end) {
    case 'stage':
      return { level: 'stage', stage: transition.stage, message: transition.write.log ?? '' };
    case 'failure':
      return { level: 'error', stage, message: transition.reason };
    case 'retry':
      return { level: 'warning', stage, message: transition.problem };
    case 'done':
      return { level: 'info', stage, message: transition.write.log ?? (failing ? 'Failed.' : 'Done.') };
    case 'again':
    case 'children':
      return transition.write.log === undefined ? undefined : { level: 'info', stage, message: transition.write.log };
  }
}

/** Whether the transition changes anything visible; continued waiting does not. */
function isNews({ error }: LeasedOperation, transition: Transition): boolean {
  if (transition.end !== 'again' && transition.end !== 'children') return true;
  const { rows, log, waits_for, children } = transition.write;
  return (
    log !== undefined || children !== undefined || (waits_for === undefined ? rows !== undefined : waits_for !== error)
  );
}

/** The line for the operation's log, if any. */
function logged(operation: LeasedOperation, transition: Transition): Sql | undefined {
  const line = logLine(operation, transition);
  if (!line) return undefined;
  const { level, stage, message } = line;
  return sql`INSERT INTO operation_logs (id, operation_id, at, level, stage, message)
    SELECT ${newId()}::uuid, ${operation.id}::uuid, platform_now(), ${level}::text, ${stage}::text, ${message}::text
    FROM verdict WHERE verdict.ok`;
}
