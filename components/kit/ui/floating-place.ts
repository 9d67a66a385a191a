'use client';

import { createContext } from 'react';

/**
 * Where menus and lists that open are put: into the dialog that they open in, or onto the page. A modal dialog lets
 * nothing beside it be scrolled or reached by the keyboard.
 */
export const FloatingPlace = createContext<HTMLElement | null>(null);
