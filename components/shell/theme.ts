'use client';

import { useSyncExternalStore } from 'react';
import { parseTheme, THEME_COOKIE, type Theme } from './theme-cookie';

const listeners = new Set<() => void>();
const YEAR_S = 365 * 24 * 3600;

/** Sets the theme at once and for later visits. A cookie, so that the server's first byte already has it. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const age = theme === 'system' ? 0 : YEAR_S;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing outside secure contexts
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=${age}; samesite=lax`;
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => parseTheme(document.documentElement.dataset.theme),
    () => 'system',
  );
}
