import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TimeWindow } from '@/components/kit/charts/time-range';
import type { ApiClient } from '@/lib/client/api';
import { useProject } from '@/lib/client/project';
import type { LinkedLine } from './log-link';
import { type LogRecord, recordsOf } from './log-records';
import type { Matrix } from './matrix';
import { nanoseconds, stepOf, wholeSteps } from './time-window';

const path = '/api/v1/observability/logs';

/** Lines of one request; more are loaded on demand. */
const PAGE_LINES = 500;
/** Most lines that the API returns at once. */
const MOST_LINES = 5000;
/** Lines of the first page on each side of a linked line. */
const AROUND_LINES = 250;
/** Bars of a histogram, and points of a metric query. */
const MOST_BARS = 90;
const MOST_POINTS = 240;

export type Direction = 'forward' | 'backward';

export interface LogQuestion {
  query: string;
  shown: TimeWindow;
  direction: Direction;
  /** The first page has the lines around this one. */
  linked?: LinkedLine | undefined;
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

/** The lines before and after a moment, oldest first, and all lines of the moment itself. */
async function readAround(
  client: ApiClient,
  { query, time, start, end, limit }: { query: string; time: string; limit: number } & Span,
  signal: AbortSignal,
): Promise<{ before: LogRecord[]; at: LogRecord[]; after: LogRecord[] }> {
  const next = nextOf(time);
  const read = (direction: Direction, span: Span, most = limit) =>
    readLines(client, { query, direction, limit: most, ...span }, signal);
  const [before, at, after] = await Promise.all([
    read('backward', { start, end: time }),
    read('forward', { start: time, end: next }, MOST_LINES),
    read('forward', { start: next, end }),
  ]);
  return { before: before.toReversed(), at, after };
}

const nextOf = (time: string) => String(BigInt(time) + 1n);

interface Page {
  records: readonly LogRecord[];
  /** Whether there may be more lines in the direction of reading. */
  more: boolean;
}

async function readPageAround(
  client: ApiClient,
  { query, direction, ...around }: { query: string; direction: Direction; time: string } & Span,
  signal: AbortSignal,
): Promise<Page> {
  const { before, at, after } = await readAround(client, { query, limit: AROUND_LINES, ...around }, signal);
  const records = [...before, ...at, ...after];
  return direction === 'forward'
    ? { records, more: after.length === AROUND_LINES }
    : { records: records.toReversed(), more: before.length === AROUND_LINES };
}

/** The lines of a query, a page at a time. */
export function useLogLines({ query, shown, direction, linked }: LogQuestion) {
  const { client } = useProject();
  const time = linked?.time;
  const first: Span & { time?: string | undefined } = { ...spanOf(shown), time };
  const answer = useInfiniteQuery({
    queryKey: ['get', path, 'lines', { query, shown, direction, time }],
    enabled: isLogQuery(query),
    initialPageParam: first,
    queryFn: async ({ pageParam: { time, ...span }, signal }): Promise<Page> => {
      if (time !== undefined) return readPageAround(client, { query, direction, time, ...span }, signal);
      const records = await readLines(client, { query, direction, limit: PAGE_LINES, ...span }, signal);
      return { records, more: records.length === PAGE_LINES };
    },
    // The next page begins at the moment of the last line: other lines may have the same time.
    getNextPageParam: ({ records, more }, _pages, { start, end }) => {
      const last = records.at(-1)?.time;
      if (last === undefined || !more) return undefined;
      return direction === 'forward' ? { start: last, end } : { start, end: nextOf(last) };
    },
    placeholderData: keepPreviousData,
  });
  const pages = answer.data?.pages;
  const records = useMemo(
    () => pages && [...new Map(pages.flatMap((page) => page.records).map((record) => [record.key, record])).values()],
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
      const span = spanOf({ from: record.at - CONTEXT_MS, to: record.at + CONTEXT_MS });
      const asked = { query: source, time: record.time, limit: CONTEXT_LINES, ...span };
      const { before, at, after } = await readAround(client, asked, signal);
      return [...before, ...at, ...after];
    },
  });
}
