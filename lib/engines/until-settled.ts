import { setTimeout as delay } from 'node:timers/promises';
import type { Settlement } from '@/lib/hosts/services/engine';

/** Polls until the desired state is reached, for work outside operations. Throws the signal's reason when aborted. */
export async function untilSettled<Result extends object>(
  ask: () => Promise<Settlement<Result>>,
  signal?: AbortSignal,
): Promise<Result> {
  for (;;) {
    const answer = await ask();
    if (answer.settled) return answer;
    await delay(answer.again_ms);
    signal?.throwIfAborted();
  }
}
