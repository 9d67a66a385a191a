import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TimeWindow } from '@/components/kit/charts/time-range';
import type { ApiClient } from '@/lib/client/api';
import { useProject } from '@/lib/client/project';
import { type LogRecord, recordsOf } from './log-records';
import type { Matrix } from './matrix';
import { nanoseconds, stepOf, wholeSteps } from './time-window';

const path = '/api/v1/observability/logs';

/** Lines of one request; more are loaded on demand. */
const PAGE_LINES = 500;
/** Most lines that the API returns at once. */
const MOST_LINES = 5000;
/** Bars of a histogram, and points of a metric query. */
const MOST_BARS = 90;
const MOST_POINTS = 240;

export type Direction = 'forward' | 'backward';

export interface LogQuestion {
  query: string;
  shown: TimeWindow;
  direction: Direction;
}

interface Span {
  start: string;
  end: string;
}

/** Whether a query selects lines; others compute values. */
export function isLogQuery(query: string): boolean {
  return query.trimStart().startsWith('{');
}

async function ask(
  client: ApiClient,
  query: { query: string } & Span & { [name: string]: string | number },
  signal?: AbortSignal,
) {
  const { data } = await client.GET(path, { params: { query }, signal });
  if (!data) throw new Error('The answer has no body.');
  return data.data;
}

async function readLines(
  client: ApiClient,
  { query, direction, limit, ...span }: { query: string; direction: Direction; limit: number } & Span,
  signal?: AbortSignal,
): Promise<LogRecord[]> {
  const data = await ask(client, { query, direction, limit, ...span }, signal);
  return data.resultType === 'streams' ? recordsOf(data.result, direction) : [];
}

const spanOf = ({ from, to }: TimeWindow): Span => ({ start: nanoseconds(from), end: nanoseconds(to) });

/** The lines of a query, a page at a time. */
export function useLogLines({ query, shown, direction }: LogQuestion) {
  const { client } = useProject();
  const answer = useInfiniteQuery({
    queryKey: ['get', path, 'lines', { query, shown, direction }],
    enabled: isLogQuery(query),
    initialPageParam: spanOf(shown),
    queryFn: ({ pageParam, signal }) =>
      readLines(client, { query, direction, limit: PAGE_LINES, ...pageParam }, signal),
    // The next page begins at the moment of the last line: other lines may have the same time.
    getNextPageParam: (page, _pages, span) => {
      const last = page.at(-1)?.time;
      if (last === undefined || page.length < PAGE_LINES) return undefined;
      return direction === 'forward' ? { ...span, start: last } : { ...span, end: String(BigInt(last) + 1n) };
    },
    placeholderData: keepPreviousData,
  });
  const pages = answer.data?.pages;
  const records = useMemo(
    () => pages && [...new Map(pages.flat().map((record) => [record.key, record])).values()],
    [pages],
  );
  return { ...answer, data: records };
}

/** The values of a metric query. */
export function useLogValues(query: string, shown: TimeWindow) {
  const { client } = useProject();
  return useQuery({
    queryKey: ['get', path, 'values', { query, shown }],
    enabled: !isLogQuery(query),
    queryFn: ({ signal }) => readValues(client, query, shown, stepOf(shown, MOST_POINTS), signal),
    placeholderData: keepPreviousData,
  });
}

/** How many lines of a query there are over time, by level. */
export function useLogHistogram(query: string, shown: TimeWindow) {
  const { client } = useProject();
  const step_s = stepOf(shown, MOST_BARS);
  // On its own line, so that a comment at the end of the query ends before the range.
  const counts = `sum by (level) (count_over_time(${query}\n[${step_s}s]))`;
  return useQuery({
    queryKey: ['get', path, 'histogram', { query, shown }],
    enabled: isLogQuery(query),
    queryFn: ({ signal }) => readValues(client, counts, wholeSteps(shown, step_s), step_s, signal),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

async function readValues(
  client: ApiClient,
  query: string,
  shown: TimeWindow,
  step_s: number,
  signal: AbortSignal,
): Promise<Matrix> {
  const data = await ask(client, { query, step: String(step_s), ...spanOf(shown) }, signal);
  return { step_s, shown, result: data.resultType === 'matrix' ? data.result : [] };
}

/** As many lines of a query as the API returns at once, for a file. */
export function readForDownload(client: ApiClient, { query, shown, direction }: LogQuestion): Promise<LogRecord[]> {
  return readLines(client, { query, direction, limit: MOST_LINES, ...spanOf(shown) });
}

const CONTEXT_LINES = 25;
const CONTEXT_MS = 24 * 3_600_000;

/** The lines around a record in its source, oldest first; at most a day away. */
export function useContextLines(record: LogRecord, source: string) {
  const { client } = useProject();
  return useQuery({
    queryKey: ['get', path, 'context', { source, time: record.time }],
    queryFn: async ({ signal }) => {
      const asked = { query: source, limit: CONTEXT_LINES };
      const { from, to } = { from: nanoseconds(record.at - CONTEXT_MS), to: nanoseconds(record.at + CONTEXT_MS) };
      const [before, after] = await Promise.all([
        readLines(client, { ...asked, direction: 'backward', start: from, end: record.time }, signal),
        readLines(client, { ...asked, direction: 'forward', start: record.time, end: to }, signal),
      ]);
      return [...before.toReversed(), ...after];
    },
  });
}
