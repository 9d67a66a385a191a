import { setTimeout as delay } from 'node:timers/promises';
import type { Settlement } from '@/lib/hosts/services/engine';

/** Polls until the desired state is reached, for work outside operations. Throws the signal's reason when aborted. */
export async function untilSettled(ensure: () => Promise<Settlement>, signal?: AbortSignal): Promise<void> {
  for (let answer = await ensure(); !answer.settled; answer = await ensure()) {
    await delay(answer.again_ms);
    signal?.throwIfAborted();
  }
}
