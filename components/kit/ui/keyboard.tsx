'use client';

import { type ReactNode, useSyncExternalStore } from 'react';

/** A key to press. */
export function Key({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-grid h-4.5 min-w-4.5 place-items-center rounded-xs border bg-sunken px-1 font-sans text-2xs text-ink-subtle">
      {children}
    </kbd>
  );
}

/** The key that commands are pressed with: ⌘ on Apple's keyboards, Ctrl on others. */
export function CommandKey() {
  const name = useSyncExternalStore(
    () => () => {},
    () => (/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'),
    () => 'Ctrl',
  );
  return <Key>{name}</Key>;
}
