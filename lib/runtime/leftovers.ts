import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const mark = 'NEPHELE_SUPERVISED';

/** What the supervisor's processes carry in their environment, from their first instruction to their last. */
export function supervisedMark(dataDir: string): Record<string, string> {
  return { [mark]: dataDir };
}

type Leftover = { pid: number; startTime: string };

/**
 * Ends what a killed supervisor of this data folder left running, and waits until it is gone. What runs is read from
 * /proc alone: no file that a crash could leave behind, or fail to write, says so.
 */
export async function endLeftovers(dataDir: string, graceMs: number): Promise<void> {
  const leftovers = findLeftovers(dataDir);
  for (const leftover of leftovers) send(leftover, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  while (leftovers.some(isAlive)) {
    if (Date.now() > deadline) for (const leftover of leftovers) send(leftover, 'SIGKILL');
    await delay(20);
  }
}

function findLeftovers(dataDir: string): Leftover[] {
  const marked = `${mark}=${dataDir}`;
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!pid || pid === process.pid) return [];
    // Another user's process cannot be read, and is not ours.
    const environment = read(`/proc/${pid}/environ`).split('\0');
    const startTime = startTimeOf(pid);
    return environment.includes(marked) && startTime ? [{ pid, startTime }] : [];
  });
}

/** A pid alone may have passed to another process since; pid and start time together never do. */
function isAlive({ pid, startTime }: Leftover): boolean {
  return startTimeOf(pid) === startTime;
}

function send(leftover: Leftover, signal: NodeJS.Signals): void {
  if (!isAlive(leftover)) return;
  try {
    process.kill(leftover.pid, signal);
  } catch {
    // It ended in between.
  }
}

function startTimeOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name before the last bracket may hold blanks itself. A zombie has ended already.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : rest[18];
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
