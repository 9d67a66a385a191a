import { ApiError } from '@/lib/core/api/errors';
import { signalChange } from '@/lib/core/db/changes';
import { openIncident } from '@/lib/core/incidents/incident';
import { EngineError } from '@/lib/engines/error';
import { log } from '@/lib/log';
import { type LeasedOperation, type LeaseHolder, letGo } from './lease';
import { failure, type OperationSteps, type Step } from './steps';
import { deadlineKey, type Transition, writeTransition } from './transition';

/** An operation held by this worker. */
export type Held = {
  operation: LeasedOperation;
  /** Aborts when a delete supersedes the operation, the lease is lost, or the worker stops. */
  readonly interrupt: AbortController;
  /** The deadline in this process's `performance.now()`. */
  readonly deadline: number;
};

/** Node fires longer timers immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The pause before the next try after a number of failures in a row, in milliseconds. */
export type Backoff = (attempts: number) => number;

/** 1 s, 2 s, 4 s … up to a minute. Each is random within its upper half, so that simultaneous failures spread out. */
export const exponentialBackoff: Backoff = (attempts) =>
  Math.min(60_000, 1000 * 2 ** attempts) * (1 - Math.random() / 2);

/**
 * Runs an operation step by step until it is done, waits, or is taken away.
 * @returns the milliseconds until it is due again; undefined if this worker is finished with it
 */
export async function carryOn(
  holder: LeaseHolder,
  held: Held,
  steps: OperationSteps,
  backoff: Backoff,
): Promise<number | undefined> {
  for (;;) {
    const next = await nextTransition(held, steps, backoff);
    const transition = next && (await writeTransition(holder, held.operation, next));
    if (!transition) break;
    report(held.operation, transition);
    switch (transition.end) {
      case 'again':
      case 'retry':
        return transition.after_ms;
      case 'children':
      case 'done':
        return undefined;
      case 'stage':
        held.operation = { ...held.operation, stage: transition.stage, attempts: 0, failing: false, error: null };
        break;
      case 'failure':
        held.operation = { ...held.operation, attempts: 0, failing: true, error: transition.reason };
    }
    if (held.interrupt.signal.aborted) break;
  }
  await letGo(holder, held.operation);
  signalChange();
  return undefined;
}

/** Runs one step; undefined if it was interrupted. */
async function nextTransition(held: Held, steps: OperationSteps, backoff: Backoff): Promise<Transition | undefined> {
  const { operation, interrupt } = held;
  const late = new AbortController();
  const remaining_ms = held.deadline - performance.now();
  if (!operation.failing && remaining_ms <= 0) return missed(operation);
  const timer = setTimeout(
    () => !operation.failing && late.abort(new Error('the deadline passed')),
    Math.min(remaining_ms, LONGEST_TIMER_MS),
  );
  const step: Step<unknown> = {
    operation,
    input: operation.input,
    signal: AbortSignal.any([interrupt.signal, late.signal]),
  };
  try {
    return operation.failing ? await steps.failed(step, operation.error) : await steps.run(step);
  } catch (error) {
    if (late.signal.aborted) return missed(operation);
    if (interrupt.signal.aborted) return undefined;
    log.warn({ err: error, operation: operation.id, kind: operation.kind, stage: operation.stage }, 'a step failed');
    return { end: 'retry', after_ms: Math.ceil(backoff(operation.attempts)), problem: problem(operation, error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The problem in words for the resource's owner; details for operators only go to the process log. */
function problem({ id }: LeasedOperation, error: unknown): string {
  if (error instanceof EngineError || error instanceof ApiError) return error.message;
  return `Internal error. Report operation ${id} to your platform operator.`;
}

/** A missed deadline: opens an incident until an operation on the resource succeeds. */
function missed(operation: LeasedOperation) {
  const { id, project_id, resource_type, resource_id, kind } = operation;
  const reason = deadlineReason(operation, operation.error);
  const incident = openIncident({
    key: deadlineKey(resource_id),
    project_id,
    resource: { type: resource_type, id: resource_id },
    operation_id: id,
    reason: `${kind}: ${reason}`,
  });
  return failure(reason, { rows: { incident } });
}

function deadlineReason({ allowed_ms }: LeasedOperation, lastProblem: string | null): string {
  const minutes = Math.round(allowed_ms / 60_000);
  const limit = minutes >= 1 ? `${minutes} min` : `${Math.round(allowed_ms / 1000)} s`;
  return `It did not finish within ${limit}.${lastProblem ? ` Last problem: ${lastProblem}` : ''}`;
}

function report(operation: LeasedOperation, transition: Transition): void {
  const facts = { operation: operation.id, kind: operation.kind, resource: operation.resource_id };
  if (transition.end === 'failure') log.error({ ...facts, reason: transition.reason }, 'an operation failed');
  else if (transition.end === 'done') log.info(facts, 'an operation ended');
}
