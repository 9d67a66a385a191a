import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf, identify, isAlive, type ProcessIdentity, send } from './process-table';

const mark = 'NEPHELE_SUPERVISED';

/** What the supervisor's processes carry in their environment, from their first instruction to their last. */
export function supervisedMark(dataDir: string): Record<string, string> {
  return { [mark]: dataDir };
}

/**
 * Ends what a killed supervisor of this data folder left running, and waits until it is gone. What runs is read from
 * /proc alone: no file that a crash could leave behind, or fail to write, says so.
 */
export async function endLeftovers(dataDir: string, graceMs: number): Promise<void> {
  const leftovers = findSupervised(dataDir);
  for (const leftover of leftovers) send(leftover, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  while (leftovers.some(isAlive)) {
    if (Date.now() > deadline) for (const leftover of leftovers) send(leftover, 'SIGKILL');
    await delay(20);
  }
}

/** The supervised processes of a data folder that run, but this one. */
export function findSupervised(dataDir: string): ProcessIdentity[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!pid || pid === process.pid) return [];
    const found = identify(pid);
    return found && environmentOf(pid).includes(`${mark}=${dataDir}`) ? [found] : [];
  });
}
