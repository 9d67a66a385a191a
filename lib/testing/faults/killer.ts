import { setTimeout as delay } from 'node:timers/promises';
import { describeHost } from '@/lib/engines/local/host';
import { findProcesses } from '@/lib/engines/local/processes';
import type { Platform } from '../platform';

/** Kills (-9) a random part of the platform at random moments, until the signal aborts. @returns the killed parts */
export async function killAtRandom(platform: Platform, random: () => number, signal: AbortSignal): Promise<string[]> {
  const host = describeHost({ dataDir: platform.dataDir });
  const killed: string[] = [];
  const victims = ['web', 'worker', 'worker', 'database', 'qemu', 'qemu', 'qemu', 'dnsmasq'] as const;
  for (;;) {
    await delay(500 + random() * 4000, undefined, { signal }).catch(() => {});
    if (signal.aborted) return killed;
    const part = victims[Math.floor(random() * victims.length)] ?? 'worker';
    const chance = random();
    const machines = () => findProcesses(host).filter(({ role }) => role === part);
    const pid =
      part === 'qemu' || part === 'dnsmasq'
        ? machines()[Math.floor(chance * machines().length)]?.pid
        : platform.pidOf(part);
    if (pid === undefined) continue;
    try {
      process.kill(pid, 'SIGKILL');
      killed.push(part);
    } catch {
      // It has just ended on its own.
    }
  }
}
