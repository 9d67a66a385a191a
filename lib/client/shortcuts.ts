'use client';

import { useSyncExternalStore } from 'react';

const KEY = 'nephele-shortcuts';
const listeners = new Set<() => void>();

/** Whether single keys act, in this browser (WCAG 2.1.4). */
function areOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

/** Turns shortcuts of single keys on or off in this browser. */
export function setShortcuts(on: boolean): void {
  try {
    localStorage.setItem(KEY, on ? 'on' : 'off');
  } catch {
    // Storage is full or forbidden: they stay as they are.
  }
  for (const listener of listeners) listener();
}

export function useShortcuts(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    areOn,
    () => true,
  );
}

/** Where keys have a meaning of their own. */
const OWN_KEYS =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** Whether a key acts as a shortcut: alone, not in a field, a menu or a dialog, and not turned off. */
export function isShortcut({ target, ctrlKey, metaKey, altKey, isComposing, repeat }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing || repeat) return false;
  return areOn() && !(target instanceof Element && target.closest(OWN_KEYS));
}
