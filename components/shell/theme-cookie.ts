export type Theme = 'light' | 'dark' | 'system';

export const THEME_COOKIE = 'nephele-theme';

/** What a cookie or an attribute says; anything unknown is the system's own. */
export function parseTheme(value: string | undefined): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}
