'use client';

import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react';
import { focusTitle } from '@/components/kit/ui/return-focus';

type Body = RefObject<HTMLTableSectionElement | null>;

/** Focuses the first control of the row at this place, or of the last row; the title of the page if no row is left. */
export function focusRow(body: Body, place: number): void {
  const rows = [...(body.current?.rows ?? [])];
  const control = (rows[place] ?? rows.at(-1))?.querySelector<HTMLElement>('input, a, button');
  if (control) control.focus();
  else focusTitle();
}

/** When the row that has the focus is removed, focuses the row that takes its place. */
export function useKeptFocus(body: Body) {
  const held = useRef<{ element: Element; place: number }>(undefined);
  useLayoutEffect(() => {
    const before = held.current;
    if (!before || before.element.isConnected) return;
    held.current = undefined;
    if (document.activeElement === document.body) focusRow(body, before.place);
  });
  return {
    onFocus: ({ target, currentTarget }: FocusEvent<HTMLTableSectionElement>) => {
      // Events of open menus also arrive here.
      const place = [...currentTarget.rows].findIndex((row) => row.contains(target));
      held.current = place === -1 ? undefined : { element: target, place };
    },
    // React reports no blur when it removes the element itself.
    onBlur: () => {
      held.current = undefined;
    },
  };
}
