'use client';

import { useSyncExternalStore } from 'react';
import type { ExternalToast } from 'sonner';
import { lazyComponent } from './lazy-component';

const Toaster = lazyComponent(() => import('./toaster').then((module) => module.Toaster));

let wanted = false;
const listeners = new Set<() => void>();
let becameReady = () => {};
const ready = new Promise<void>((resolve) => {
  becameReady = resolve;
});

/**
 * A toast, for what the page itself does not show: a thing done elsewhere, or one that failed.
 * Toasts are loaded with the first of them.
 */
export async function notify(
  kind: 'success' | 'info' | 'warning' | 'error',
  title: string,
  options?: Pick<ExternalToast, 'id' | 'description' | 'action' | 'duration'>,
): Promise<void> {
  wanted = true;
  for (const listener of listeners) listener();
  const [{ toast }] = await Promise.all([import('sonner'), ready]);
  toast[kind](title, options);
}

/** The place of toasts, empty until the first. */
export function ToastHost() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => wanted,
    () => false,
  );
  return shown ? <Toaster onReady={becameReady} /> : null;
}
