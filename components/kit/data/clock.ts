'use client';

import { useSyncExternalStore } from 'react';

const STEP = 5000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick() {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, STEP);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The present moment in ms, moving on every five seconds with one timer a page; undefined on the server. */
export function useNow(): number | undefined {
  return useSyncExternalStore<number | undefined>(
    subscribe,
    () => now,
    () => undefined,
  );
}
