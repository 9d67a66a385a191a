'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => {};

/**
 * Whether the page has hydrated. Data of the surrounding frame may arrive earlier, but the first client render must
 * match the server's.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
