import { cpus } from 'node:os';
import { cpuSecondsOf, demandSecondsOf, type EngineProcess, isAlive } from '../processes';
import { Slots } from '../slots';

const SAMPLE_MS = 250;
const CALM_SAMPLES = 3;
const CALM_SHARE = 0.5;
/** What no guest needs to come up: on a busy host it takes its time to get as much, on an idle one it is a long time. */
const LONGEST_BOOT = { cpuSeconds: 45, ms: 240_000 };

/**
 * Lets as many guests boot at once as the host has processors. More would all be slow together, and boots that take too
 * long make guests give up on their disks and clocks.
 */
export class BootSlots {
  private readonly slots: Slots;

  constructor(slots = Math.max(1, cpus().length)) {
    this.slots = new Slots(slots);
  }

  /**
   * Starts a guest when it is its turn, and keeps the turn until the guest is up, by its own word (`isUp`) or because it
   * has calmed down.
   */
  boot(
    start: () => Promise<{ guest: EngineProcess; isUp: () => Promise<boolean> }>,
    signal: AbortSignal,
  ): Promise<void> {
    return this.slots.take(async () => {
      const { guest, isUp } = await start();
      await untilUp(guest, isUp, signal);
    }, signal);
  }
}

/** A guest that says nothing has booted, whatever it runs, when it stops using its processor for most of a second. */
async function untilUp(guest: EngineProcess, isUp: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const end = Date.now() + LONGEST_BOOT.ms;
  const enough = cpuSecondsOf(guest.pid) + LONGEST_BOOT.cpuSeconds;
  let calm = 0;
  let before = { used: demandSecondsOf(guest.pid), at: performance.now() };
  while (calm < CALM_SAMPLES && Date.now() < end && cpuSecondsOf(guest.pid) < enough && isAlive(guest)) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    if (await isUp()) return;
    const now = { used: demandSecondsOf(guest.pid), at: performance.now() };
    const share = ((now.used - before.used) * 1000) / (now.at - before.at);
    calm = share < CALM_SHARE ? calm + 1 : 0;
    before = now;
  }
}
