'use client';

import { createContext } from 'react';

/**
 * The element that menus and popovers are rendered into: the dialog they open in, or the page. A modal dialog blocks
 * scrolling and keyboard focus outside of itself.
 */
export const FloatingPlace = createContext<HTMLElement | null>(null);

/** Distances of menus and popovers in pixels: from their trigger, and from the edges of the window. */
export const floatingDistances = { sideOffset: 4, collisionPadding: 8 } as const;
