import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf, identify, isAlive, type ProcessIdentity, send } from './process-table';

const mark = 'NEPHELE_SUPERVISED';

/** Environment variables that mark the supervisor's processes for their whole life. */
export function supervisedMark(dataDir: string): Record<string, string> {
  return { [mark]: dataDir };
}

/**
 * Ends processes that a killed supervisor of this data folder left running, and waits for their end. Relies only on
 * /proc, because a file could be stale or missing after a crash.
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

/** The supervised processes of a data folder, except this one. */
export function findSupervised(dataDir: string): ProcessIdentity[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!pid || pid === process.pid) return [];
    const found = identify(pid);
    return found && environmentOf(pid).includes(`${mark}=${dataDir}`) ? [found] : [];
  });
}
