'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => {};

/**
 * Whether the page is past its hydration. What the frame around a page has read may be there before the page comes alive,
 * and that must begin as the server wrote it.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
