import { z } from 'zod';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { doesNotRespond, OutsideRefusal } from '../../outside';
import { inTurn } from '../../turns';
import type { Labels } from '../labels';
import { labelsKey } from '../labels';
import type { LogExpr, Matcher, MetricExpr, Stage } from '../logql/ast';
import { isScalar } from '../logql/parse';
import { printQuery, printSelector } from '../logql/print';
import { parseNumber } from '../logql/units';
import { grouped, type Series, type Value } from '../logql/vectors';
import { type FoundStream, type LogReader, pipelineError, type Reader, tooLong, withinLimit } from '../query';
import { MOST_MS, type ReadStats } from '../read';
import { nanoseconds } from '../times';
import { askLoki } from './client';

/** Labels that Loki adds. The own store has none of them, so queries do not see them. */
const ADDED = ['service_name', 'detected_level', '__stream_shard__'];
/** The same text as a pattern. */
const UUID = /^[\da-f]+(-[\da-f]+)+$/;
const OWN: ReadonlySet<string> = new Set(['project', 'service', 'resource_id', 'resource_name', 'level', 'stream']);

/** Longest text of Loki in a refusal: it may quote the query. */
const MOST_TEXT = 2000;

const labels = z.record(z.string(), z.string());
const point = z.tuple([z.number(), z.string()]);
const stats = z.object({
  summary: z.object({ totalBytesProcessed: z.number(), totalLinesProcessed: z.number() }),
});
const answer = z.object({
  data: z.discriminatedUnion('resultType', [
    z.object({
      resultType: z.literal('streams'),
      // A third item of a line is its structured metadata.
      result: z.array(
        z.object({ stream: labels, values: z.array(z.tuple([z.string(), z.string()]).rest(z.unknown())) }),
      ),
      stats,
    }),
    z.object({
      resultType: z.literal('matrix'),
      result: z.array(z.object({ metric: labels, values: z.array(point) })),
      stats,
    }),
    z.object({
      resultType: z.literal('vector'),
      result: z.array(z.object({ metric: labels, value: point })),
      stats,
    }),
    z.object({ resultType: z.literal('scalar'), result: point, stats }),
  ]),
});
const seriesAnswer = z.object({ data: z.array(labels).nullish() });

/** Queries that the Loki of `LOKI_URL` answers. They come with the project forced on their selectors (`readQuery`). */
export const lokiReader: LogReader = {
  async findLines(log, reader, { span, limit, direction, signal }) {
    const data = await ask(
      reader,
      'query_range',
      { ...printed(log), ...spanOf(span), limit: String(limit), direction },
      signal,
    );
    if (data.resultType !== 'streams') throw unexpected(data.resultType);
    const lines = data.result.map(
      ({ stream, values }): FoundStream => ({
        labels: stream,
        entries: values.map(([time, line]) => ({ at_us: Number(BigInt(time) / 1000n), line })),
      }),
    );
    return { result: lines, stats: statsOf(data) };
  },

  async evaluate(expr, reader, { steps, signal }) {
    const [first = 0, second] = steps;
    if (second === undefined) return evaluateAt(expr, reader, first, signal);
    const step_us = second - first;
    if (step_us % 1000 !== 0) throw invalid('step: must be whole milliseconds.');
    // Loki moves the points of a long query to multiples of its step. The query is moved there instead, and back by its offsets.
    const moved_us = (step_us - (first % step_us)) % step_us;
    const range = { from_us: first + moved_us, to_us: (steps.at(-1) ?? first) + moved_us };
    const step = `${step_us / 1000}ms`;
    const data = await ask(
      reader,
      'query_range',
      { ...printed(delayed(expr, moved_us)), ...spanOf(range), step },
      signal,
    );
    if (data.resultType !== 'matrix') throw unexpected(data.resultType);
    const result = data.result.map(({ metric, values }): Series => {
      const points = new Map(values.map(([time, text]) => [Math.round((time * 1e6 - range.from_us) / step_us), text]));
      return { labels: metric, values: steps.map((_, index) => numberOf(points.get(index))) };
    });
    return { result: valueFor(expr, result), stats: statsOf(data) };
  },

  async streams(reader, selectors, span, signal) {
    const match = selectors.map(printSelector);
    const body = new URLSearchParams([
      ...match.map((one): [string, string] => ['match[]', one]),
      ...Object.entries(spanOf(span)),
    ]);
    const { data } = seriesAnswer.parse(JSON.parse(await send(reader, 'series', body, signal)));
    const own = (data ?? [])
      .filter(({ project }) => project === reader.project_id)
      .map((one): Labels => Object.fromEntries(Object.entries(one).filter(([name]) => OWN.has(name))));
    return [...grouped(own, labelsKey).values()].flatMap(([one]) => (one ? [one] : []));
  },
};

async function evaluateAt(expr: MetricExpr, reader: Reader, at_us: number, signal: AbortSignal) {
  const data = await ask(reader, 'query', { ...printed(expr), time: nanoseconds(at_us) }, signal);
  if (data.resultType === 'scalar') {
    const value: Value = { kind: 'scalar', values: [numberOf(data.result[1]) ?? Number.NaN] };
    return { result: value, stats: statsOf(data) };
  }
  if (data.resultType !== 'vector') throw unexpected(data.resultType);
  const result = data.result.map(
    ({ metric, value: [, text] }): Series => ({ labels: metric, values: [numberOf(text)] }),
  );
  return { result: valueFor(expr, result), stats: statsOf(data) };
}

/** Numbers that Loki gives as series are numbers. @throws ApiError 400 for too many series */
function valueFor(expr: MetricExpr, series: Series[]): Value {
  const [only] = series;
  if (isScalar(expr) && only) return { kind: 'scalar', values: only.values.map((value) => value ?? Number.NaN) };
  return withinLimit({ kind: 'series', series });
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : parseNumber(text));

const spanOf = ({ from_us, to_us }: { from_us: number; to_us: number }) => ({
  start: nanoseconds(from_us),
  end: nanoseconds(to_us),
});

const statsOf = ({ stats: { summary } }: { stats: z.output<typeof stats> }): ReadStats => ({
  chunks: 0,
  lines: summary.totalLinesProcessed,
  bytes: summary.totalBytesProcessed,
  damaged: 0,
});

const printed = (query: LogExpr | MetricExpr) => ({
  query: printQuery(
    query.kind === 'log' ? asStored(query) : mapLogs(query, (range) => ({ log: rangeAsStored(range) })),
  ),
});

/** Lines with the labels that they were pushed with. */
function asStored(log: LogExpr): LogExpr {
  // With matchers: `drop a != "x"` would take the line filter behind it as one.
  const added = ADDED.map((name) => ({ name, matcher: { name, op: '=~', value: '.*' } as const }));
  const drop: Stage = { kind: 'drop', labels: added };
  return { ...log, matchers: log.matchers.map(onOwnLabels), stages: [drop, ...log.stages] };
}

/** `absent_over_time` gives a series the labels of its equality matchers; the own store leaves the project out. */
function rangeAsStored({ op, log }: Range): LogExpr {
  const stored = asStored(log);
  if (op !== 'absent_over_time') return stored;
  const isId = ({ name, op: kind, value }: Matcher) => name === 'project' && kind === '=' && UUID.test(value);
  return { ...stored, matchers: stored.matchers.map((one) => (isId(one) ? { ...one, op: '=~' } : one)) };
}

/** A label that only Loki knows is absent, as in the own store. */
function onOwnLabels(matcher: Matcher): Matcher {
  return ADDED.includes(matcher.name) ? { ...matcher, name: `absent_${matcher.name}` } : matcher;
}

const delayed = (expr: MetricExpr, us: number) => mapLogs(expr, ({ offset_us }) => ({ offset_us: offset_us + us }));

type Range = Extract<MetricExpr, { kind: 'range' }>;

/** The same query with another part in each of its ranges. */
function mapLogs(expr: MetricExpr, change: (range: Range) => Partial<Range>): MetricExpr {
  switch (expr.kind) {
    case 'range':
      return { ...expr, ...change(expr) };
    case 'vector':
    case 'label_replace':
      return { ...expr, of: mapLogs(expr.of, change) };
    case 'binary':
      return { ...expr, left: mapLogs(expr.left, change), right: mapLogs(expr.right, change) };
    default:
      return expr;
  }
}

async function ask(reader: Reader, path: string, given: Record<string, string>, signal: AbortSignal) {
  const text = await send(reader, path, new URLSearchParams(given), signal);
  return answer.parse(JSON.parse(text)).data;
}

/** Sends a query in its turn. @throws ApiError */
function send(reader: Reader, path: string, body: URLSearchParams, signal: AbortSignal): Promise<string> {
  return inTurn(reader.project_id, async () => {
    const end = AbortSignal.timeout(MOST_MS);
    try {
      return await askLoki(path, { body, signal: AbortSignal.any([signal, end]) });
    } catch (error) {
      signal.throwIfAborted();
      if (end.aborted) throw tooLong();
      if (error instanceof OutsideRefusal) throw refusalOf(error);
      throw unavailable(error);
    }
  });
}

/** Loki’s refusal of a query as one of our API. */
function refusalOf(error: OutsideRefusal): ApiError {
  const { status, text } = error;
  const failed = /pipeline error: '(\w+)'/.exec(text)?.[1];
  if (failed) return pipelineError(failed);
  if (status === 400 || status === 422)
    return invalid(`The log store refuses the query: ${text.slice(0, MOST_TEXT).trim()}`);
  if (status === 429) return new ApiError('RATE_LIMITED', 'The log store is busy. Try again later.', { cause: error });
  if (status === 504) return tooLong();
  return unavailable(error);
}

const unavailable = (cause: unknown) => doesNotRespond('The log store', cause);

const unexpected = (type: string) => new Error(`Loki answered with ${type}, which does not fit the query`);
