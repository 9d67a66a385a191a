import { interruptible } from '@/lib/core/operations/interruptible';
import { again, failure, type Outcome, type Step } from '@/lib/core/operations/steps';
import { EngineError } from '@/lib/engines/error';
import { waitingFor } from './rows';

const CROWDED_MS = 5000;
/** After so many failures in a row, a retry will not help. */
const MOST_ATTEMPTS = 5;

/**
 * Runs an engine call for a step on a row of `table`. The step ends with the call's result, or with the meaning of its
 * error.
 */
export async function throughEngine<Result, Next extends Outcome<string>>(
  step: Step<unknown>,
  table: string,
  work: () => Promise<Result>,
  then: (result: Result) => Next,
) {
  try {
    return then(await interruptible(work(), step.signal));
  } catch (error) {
    step.signal.throwIfAborted();
    return meaning(step, table, error);
  }
}

/** The meaning of an engine error for a step: permanent failure, wait for room, or retry. */
export function meaning({ operation }: Step<unknown>, table: string, error: unknown) {
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
