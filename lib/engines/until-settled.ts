import { setTimeout as delay } from 'node:timers/promises';
import type { Settlement } from '@/lib/hosts/services/engine';

/** Asks until something is as wanted: for work that no operation waits for. Ends early by throwing the signal's reason. */
export async function untilSettled(ensure: () => Promise<Settlement>, signal?: AbortSignal): Promise<void> {
  for (let answer = await ensure(); !answer.settled; answer = await ensure()) {
    await delay(answer.again_ms);
    signal?.throwIfAborted();
  }
}
