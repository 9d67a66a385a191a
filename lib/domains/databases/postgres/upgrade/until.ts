import { setTimeout as delay } from 'node:timers/promises';
import { UpgradeTrouble } from '../../jobs/trouble';

/** Looks again every few milliseconds until `isTrue`. @throws UpgradeTrouble after that time, which says what was waited for */
export async function until(what: string, withinMs: number, isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new UpgradeTrouble(`Waited ${withinMs / 1000} s for ${what}.`);
    await delay(3);
  }
}
