'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback, useMemo } from 'react';

export const PAGE_SIZE = 50;

function walkedHere(): boolean {
  const state: unknown = window.history.state;
  return typeof state === 'object' && state !== null && 'walked' in state;
}

export interface TableState {
  /** What the API is asked for. */
  query: Record<string, string | number | undefined>;
  search: string;
  /** A column's id, `-` before it for descending; undefined is the API's own order, newest first. */
  sort: string | undefined;
  /** 1 for the first page. */
  page: number;
  filter: (name: string) => string | undefined;
  /** Anything is narrowed: an empty result is then not an empty list. */
  narrowed: boolean;
  set: (changes: Record<string, string | undefined>) => void;
  clear: () => void;
  goOn: (cursor: string) => void;
  /** To the page before, or to the first one when this page was opened by its address. */
  goBack: () => void;
  goToFirst: () => void;
}

/**
 * Search, filters, order and place of a list, kept in the page's address, so that what one person sees can be sent to
 * another. `filters` are the names of the API's own filter parameters that this page offers.
 */
export function useTableState(filters: readonly string[] = []): TableState {
  const pathname = usePathname();
  const params = useSearchParams();
  const names = filters.join(' ');

  // The History API and not the router: nothing is to be fetched from the server for a change of the address alone.
  const write = useCallback(
    (change: (next: URLSearchParams) => void, how: 'push' | 'replace') => {
      const next = new URLSearchParams(window.location.search);
      change(next);
      const address = next.size > 0 ? `${pathname}?${next}` : pathname;
      // Marks the entry as reached by "Next", so that "Previous" may go back. A new object each time: Next writes into it.
      if (how === 'push') window.history.pushState({ walked: true }, '', address);
      else window.history.replaceState(null, '', address);
    },
    [pathname],
  );

  return useMemo(() => {
    const own = names === '' ? [] : names.split(' ');
    const search = params.get('search') ?? '';
    const sort = params.get('sort') ?? undefined;
    const after = params.get('after') ?? undefined;
    const filter = (name: string) => params.get(name) ?? undefined;
    const forget = (next: URLSearchParams) => {
      next.delete('after');
      next.delete('page');
    };
    return {
      query: {
        limit: PAGE_SIZE,
        cursor: after,
        search: search.trim() || undefined,
        sort,
        ...Object.fromEntries(own.map((name) => [name, filter(name)])),
      },
      search,
      sort,
      page: after ? Math.max(2, Number(params.get('page')) || 2) : 1,
      filter,
      narrowed: search.trim() !== '' || own.some((name) => params.has(name)),
      set: (changes) =>
        write((next) => {
          forget(next);
          for (const [name, value] of Object.entries(changes)) {
            if (value) next.set(name, value);
            else next.delete(name);
          }
        }, 'replace'),
      clear: () =>
        write((next) => {
          forget(next);
          for (const name of ['search', ...own]) next.delete(name);
        }, 'replace'),
      goOn: (cursor) =>
        write((next) => {
          next.set('page', String((Number(next.get('page')) || 1) + 1));
          next.set('after', cursor);
        }, 'push'),
      goBack: () => (walkedHere() ? window.history.back() : write(forget, 'replace')),
      goToFirst: () => write(forget, 'replace'),
    };
  }, [params, names, write]);
}
