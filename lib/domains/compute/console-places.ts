import { settings } from '@/lib/settings';
import type { ConsoleAccess } from './console';
import type { ConsoleKind } from './engine';

const names: Record<ConsoleKind, string> = { vnc: 'screens', serial: 'terminals' };
const taken = new Map<string, number>();

/**
 * Takes a place for an open screen or terminal: an instance has so many of each, and so has a caller. Counted in this
 * process.
 * @returns how to give the place back, or why there is none
 */
export function takePlace(
  kind: ConsoleKind,
  { instance_id, caller_id }: ConsoleAccess,
): { release: () => void } | { refusal: string } {
  const { consolesPerInstance, consolesPerCaller } = settings();
  const ofInstance = `${kind} of instance ${instance_id}`;
  const ofCaller = `${kind} of caller ${caller_id}`;
  if ((taken.get(ofInstance) ?? 0) >= consolesPerInstance) {
    return { refusal: `This instance has ${consolesPerInstance} ${names[kind]} open. Close one first.` };
  }
  if ((taken.get(ofCaller) ?? 0) >= consolesPerCaller) {
    return { refusal: `You have ${consolesPerCaller} ${names[kind]} open. Close one first.` };
  }
  for (const key of [ofInstance, ofCaller]) taken.set(key, (taken.get(key) ?? 0) + 1);
  return { release: () => [ofInstance, ofCaller].forEach(giveBack) };
}

function giveBack(key: string): void {
  const left = (taken.get(key) ?? 1) - 1;
  if (left > 0) taken.set(key, left);
  else taken.delete(key);
}
