'use client';

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ClientPathsWithMethod, MethodResponse } from 'openapi-fetch';
import type { ApiClient, Send } from './api';
import { useApi } from './scope';

type GetPath = ClientPathsWithMethod<ApiClient, 'get'>;

/** The paths of lists. */
export type ListPath = {
  [P in GetPath]: [RowsOf<P>] extends [never] ? never : P;
}[GetPath];

/** The rows of an answer, which may also come as a file. */
type RowsOf<P extends GetPath> = Extract<MethodResponse<ApiClient, 'get', P>, readonly unknown[]>;

/** One row of a list. */
export type Row<P extends ListPath> = RowsOf<P>[number];

/** Filters, search, order and cursor, as the API's query parameters; undefined and empty ones are not sent. */
export type ListQuery = Readonly<Record<string, string | number | undefined>>;

/** One page of a list, and the cursor of the next. */
export interface ListPage<R> {
  rows: R[];
  next: string | undefined;
}

export type List<R> = UseQueryResult<ListPage<R>>;

/** The list data for a table. */
export interface Listed<R> {
  data: ListPage<R> | undefined;
  error: unknown;
  isFetching: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
}

/** One page of a list; `query` comes from `useTableState`. @param id the resource in the path, for a list of its parts */
export function useList<P extends ListPath>(path: P, query: ListQuery, id?: string): List<Row<P>> {
  const { headers, send } = useApi();
  return useQuery<ListPage<Row<P>>>({
    queryKey: id === undefined ? ['list', path, query] : ['list', path, query, id],
    queryFn: ({ signal }) => readPage(send, id === undefined ? path : path.replace('{id}', id), query, headers, signal),
    placeholderData: keepPreviousData,
  });
}

/** Reads the page with its headers, which the generated client drops: the next page is in `Link` (RFC 8288). */
async function readPage<R>(
  send: Send,
  path: string,
  query: ListQuery,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ListPage<R>> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const response = await send(new Request(`${path}?${search}`, { headers, signal }));
  const rows: R[] = await response.json();
  return { rows, next: nextCursor(response.headers.get('link')) };
}

/** The cursor of the next page from a `Link` header. */
export function nextCursor(link: string | null): string | undefined {
  const address = /<([^>]+)>\s*;[^,]*\brel="?next\b/.exec(link ?? '')?.[1];
  return address ? (new URL(address, 'http://any').searchParams.get('cursor') ?? undefined) : undefined;
}
