import { interruptible } from '@/lib/core/operations/interruptible';
import { again, failure, type Outcome, type Step, type StepWrite, underWay } from '@/lib/core/operations/steps';
import { EngineError } from '@/lib/engines/error';
import type { Settlement, Waiting } from '@/lib/hosts/services/engine';
import { waitingFor } from './rows';

const CROWDED_MS = 5000;
/** After so many failures in a row, a retry will not help. */
const MOST_ATTEMPTS = 5;

/**
 * Runs an engine call for a step on a row of `table`, and ends the step by its answer: `then` once it has settled, the same
 * stage again while it waits, together with what `meanwhile` writes, or the meaning of its error.
 */
export async function throughEngine<Result extends object, Next extends Outcome<string>>(
  step: Step<unknown>,
  table: string,
  ask: () => Promise<Settlement<Result>>,
  then: (result: Result) => Next,
  meanwhile?: (waiting: Waiting) => Omit<StepWrite, 'waits_for'>,
) {
  try {
    const answer = await interruptible(ask(), step.signal);
    return answer.settled ? then(answer) : underWay(answer, meanwhile?.(answer));
  } catch (error) {
    step.signal.throwIfAborted();
    return meaning(step, table, error);
  }
}

/** The meaning of an engine error for a step: permanent failure, wait for room, or retry. */
function meaning({ operation }: Step<unknown>, table: string, error: unknown) {
  if (!(error instanceof EngineError)) throw error;
  switch (error.code) {
    case 'INVALID':
    case 'NOT_FOUND':
      return failure(error.message);
    case 'CAPACITY_EXHAUSTED':
    case 'ENGINE_UNAVAILABLE':
    case 'IN_USE':
      return again(CROWDED_MS, waitingFor(table, operation.resource_id, error.message));
    case 'ENGINE_ERROR':
      if (operation.attempts + 1 >= MOST_ATTEMPTS) return failure(error.message);
      throw error;
  }
}
