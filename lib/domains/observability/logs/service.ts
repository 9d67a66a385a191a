import type { z } from 'zod';
import { includesRole } from '@/lib/core/api/caller';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid, notFound } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import type { Labels } from './labels';
import type { Matcher } from './logql/ast';
import { formatNumber } from './logql/units';
import type { Value } from './logql/vectors';
import { lokiReader } from './loki/query';
import { forcedMatchers, type LogReader, ownReader, type Reader, readQuery } from './query';
import type { ReadStats } from './read';
import type * as schema from './schema';
import { nanoseconds, parseTime, spanOf, stepsOf } from './times';

/** How far back labels and series are looked for, as in Loki. */
const LABELS_US = 6 * 3600e6;

/** Lines of `audit` are for roles that may read the audit log. */
export const readerOf = ({ project_id, role }: ProjectCall): Reader => ({
  project_id,
  audit: includesRole(role, 'admin'),
});

/** Where queries are answered. */
const logReader = (): LogReader => (settings().loki ? lokiReader : ownReader);

/** Lines, or numbers over time (spec 4.15). @throws ApiError 400 that says where the query is wrong */
export async function queryRange(
  call: ProjectCall,
  given: z.output<typeof schema.logQuery>,
): Promise<schema.RangeAnswer> {
  const begun = performance.now();
  const reader = readerOf(call);
  const query = readQuery(given.query, reader);
  if (query.kind === 'log') {
    const span = spanOf(given, call.at, 'up');
    const { limit, direction } = given;
    const { result, stats } = await logReader().findLines(query, reader, {
      span,
      limit,
      direction,
      signal: call.signal,
    });
    const streams = result.map(({ labels, entries }) => ({
      stream: labels,
      values: entries.map(({ at_us, line }): [string, string] => [nanoseconds(at_us), line]),
    }));
    const returned = streams.reduce((sum, { values }) => sum + values.length, 0);
    const data = { resultType: 'streams' as const, result: streams, stats: summary(stats, begun, returned) };
    return { status: 'success', data, ...warningsOf(stats) };
  }
  const steps = stepsOf(spanOf(given, call.at, 'down'), given.step);
  const { result, stats } = await logReader().evaluate(query, reader, { steps, signal: call.signal });
  const matrix = matrixOf(result, steps);
  const returned = matrix.reduce((sum, { values }) => sum + values.length, 0);
  const data = { resultType: 'matrix' as const, result: matrix, stats: summary(stats, begun, returned) };
  return { status: 'success', data, ...warningsOf(stats) };
}

/** Numbers at one moment. */
export async function queryInstant(
  call: ProjectCall,
  given: z.output<typeof schema.instantQuery>,
): Promise<schema.InstantAnswer> {
  const begun = performance.now();
  const reader = readerOf(call);
  const query = readQuery(given.query, reader);
  if (query.kind === 'log') {
    throw invalid(
      'log queries are not supported as an instant query type, please change your query to a range query type',
    );
  }
  const at = given.time === undefined ? call.at.getTime() * 1000 : parseTime('time', given.time, 'down');
  const { result, stats } = await logReader().evaluate(query, reader, { steps: [at], signal: call.signal });
  return { status: 'success', data: instantOf(result, at, stats, begun), ...warningsOf(stats) };
}

function instantOf(value: Value, at: number, stats: ReadStats, begun: number): schema.InstantAnswer['data'] {
  const point = (number: number): [number, string] => [at / 1e6, formatNumber(number)];
  if (value.kind === 'scalar') {
    return { resultType: 'scalar', result: point(value.values[0] ?? Number.NaN), stats: summary(stats, begun, 1) };
  }
  const result = value.series.flatMap(({ labels, values: [first] }) =>
    first === undefined ? [] : [{ metric: { ...labels }, value: point(first) }],
  );
  return { resultType: 'vector', result, stats: summary(stats, begun, result.length) };
}

function matrixOf(value: Value, steps: readonly number[]) {
  const series = value.kind === 'scalar' ? [{ labels: {}, values: value.values }] : value.series;
  return series.map(({ labels, values }) => ({
    metric: { ...labels },
    values: values.flatMap((number, index): [number, string][] =>
      number === undefined ? [] : [[(steps[index] ?? 0) / 1e6, formatNumber(number)]],
    ),
  }));
}

/** Names of the labels that streams have within a span. */
export async function labelNames(call: ProjectCall, given: z.output<typeof schema.labelQuery>) {
  const streams = await streamsOfSpan(call, given, given.query === undefined ? [] : [given.query]);
  return { status: 'success' as const, data: sorted(streams.flatMap((labels) => Object.keys(labels))) };
}

/** Values of a label within a span. */
export async function labelValues(call: ProjectCall, name: string, given: z.output<typeof schema.labelQuery>) {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw notFound('The label');
  const streams = await streamsOfSpan(call, given, given.query === undefined ? [] : [given.query]);
  return { status: 'success' as const, data: sorted(streams.flatMap((labels) => labels[name] ?? [])) };
}

/** The labels of the streams of some selectors within a span. */
export async function series(call: ProjectCall, given: z.output<typeof schema.seriesQuery>) {
  const streams = await streamsOfSpan(call, given, [...(given.match ?? []), ...(given['match[]'] ?? [])]);
  return { status: 'success' as const, data: streams.map((labels) => ({ ...labels })) };
}

type Given = { start?: string | undefined; end?: string | undefined; since?: string | undefined };

/** The labels of streams that have lines in a span and fit any of some selectors; of all streams where there is none. */
async function streamsOfSpan(call: ProjectCall, given: Given, selectors: readonly string[]): Promise<Labels[]> {
  const reader = readerOf(call);
  const span = spanOf(given, call.at, 'up', LABELS_US);
  const named = selectors.filter((text) => text !== '{}').map((text) => selectorOf(text, reader));
  const wanted = named.length === 0 ? [forcedMatchers(reader)] : named;
  return logReader().streams(reader, wanted, span, call.signal);
}

function selectorOf(text: string, reader: Reader): Matcher[] {
  const query = readQuery(text, reader);
  if (query.kind !== 'log' || query.stages.length > 0)
    throw invalid('Only a selector such as {service="compute"} is allowed here.');
  return query.matchers;
}

const sorted = (values: readonly string[]) => [...new Set(values)].toSorted();

function warningsOf({ damaged }: ReadStats): { warnings?: string[] } {
  if (damaged === 0) return {};
  return { warnings: [`${damaged} damaged chunks of lines were left out. Tell your platform operator.`] };
}

function summary(stats: ReadStats, begun: number, returned: number) {
  const seconds = Math.max(performance.now() - begun, 0.001) / 1000;
  return {
    summary: {
      bytesProcessedPerSecond: Math.round(stats.bytes / seconds),
      linesProcessedPerSecond: Math.round(stats.lines / seconds),
      totalBytesProcessed: stats.bytes,
      totalLinesProcessed: stats.lines,
      execTime: seconds,
      totalEntriesReturned: returned,
    },
  };
}
