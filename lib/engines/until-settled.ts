import { setTimeout as delay } from 'node:timers/promises';
import type { Settlement } from '@/lib/hosts/services/engine';

/** Asks until the engine has settled, where no operation waits for it. Throws the signal's reason once it aborts. */
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
