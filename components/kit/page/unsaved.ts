'use client';

import { useEffect, useRef } from 'react';

/** The forms of the page, each of which knows whether it has unsaved input. */
const forms = new Set<() => boolean>();

/** Asks before the page is left while `isUnsaved` returns true (`components/shell/leave-guard.tsx`). */
export function useUnsaved(isUnsaved: () => boolean): void {
  const latest = useRef(isUnsaved);
  useEffect(() => {
    latest.current = isUnsaved;
  });
  useEffect(() => {
    const ask = () => latest.current();
    forms.add(ask);
    return () => void forms.delete(ask);
  }, []);
}

/** Whether any form of the page has unsaved input. */
export function hasUnsaved(): boolean {
  return [...forms].some((isUnsaved) => isUnsaved());
}

/** Marks a link that discards input on purpose, such as Cancel. */
export const discards = { 'data-discards': '' } as const;
