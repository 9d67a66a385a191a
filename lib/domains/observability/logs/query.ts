import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalid } from '@/lib/core/api/errors';
import { databaseError, QUERY_CANCELED } from '@/lib/core/db/pool';
import { inTurn } from '../turns';
import { type Chunk, isSearchable } from './chunk';
import { gramsOf, MOST_GRAMS } from './gram-filter';
import { type Labels, labelsKey } from './labels';
import type { LogExpr, Matcher, MetricExpr, Query, RangeExpr } from './logql/ast';
import { selectorsOf } from './logql/ast';
import { QueryError, refusalOf } from './logql/error';
import { parseQuery } from './logql/parse';
import {
  conditionOf,
  type Entry,
  ERROR,
  numberReaders,
  pipelineOf,
  requiredTexts,
  type Step,
  selects,
} from './logql/pipeline';
import { overSteps, type Samples, windowFunction } from './logql/ranges';
import { aggregate, grouped, operate, pick, replaceLabel, type Series, type Turn, type Value } from './logql/vectors';
import {
  ChunksMoved,
  chunksAt,
  type Direction,
  LATEST_US,
  type LogStream,
  MOST_MS,
  type ReadStats,
  readChunks,
  type Span,
  streamsOf,
  streamsWithin,
} from './read';

/** The project whose lines a query may see, and whether audit lines are among them. */
export type Reader = { project_id: string; audit: boolean };

/** Limits of one query (design: services, section 10). */
export const MOST_POINTS = 11_000;
export const MOST_SERIES = 1000;
/** Series before they are aggregated: `sum(rate(… | json [1m]))` has one for each set of labels. */
const MOST_INNER_SERIES = 50_000;
/** Values before they are aggregated: some 300 MB, as much as the largest answer. */
const MOST_INNER_VALUES = MOST_POINTS * MOST_SERIES;
/** Lines or values until other requests get their turn: a few milliseconds. */
const WORK_A_TURN = 5000;
const MOST_ATTEMPTS = 3;

/** Answers queries that `readQuery` has read, from the own store or another. */
export type LogReader = {
  /** The first, or last, lines of a query within a span. */
  findLines(
    log: LogExpr,
    reader: Reader,
    options: { span: Span; limit: number; direction: Direction; signal: AbortSignal },
  ): Promise<{ result: FoundStream[]; stats: ReadStats }>;
  /** The series of a metric query at its steps, in microseconds. */
  evaluate(
    expr: MetricExpr,
    reader: Reader,
    options: { steps: readonly number[]; signal: AbortSignal },
  ): Promise<{ result: Value; stats: ReadStats }>;
  /** The labels of the streams that have lines within a span and fit any of some selectors. */
  streams(reader: Reader, selectors: readonly Matcher[][], span: Span, signal: AbortSignal): Promise<Labels[]>;
};

export type FoundStream = { labels: Labels; entries: { at_us: number; line: string }[] };

/**
 * Reads a query for a project: every selector also demands `forcedMatchers`.
 * @throws ApiError 400 with the place of what is wrong
 */
export function readQuery(text: string, reader: Reader): Query {
  try {
    const query = parseQuery(text);
    for (const { matchers } of selectorsOf(query)) matchers.push(...forcedMatchers(reader));
    return query;
  } catch (error) {
    throw error instanceof QueryError ? refusalOf(error, text) : error;
  }
}

/** Matchers that are added to every selector. */
export const forcedMatchers = ({ project_id, audit }: Reader): Matcher[] => [
  { name: 'project', op: '=', value: project_id },
  ...(audit ? [] : [{ name: 'service', op: '!=', value: 'audit' } as const]),
];

/** One run of a query: what it has read, and when it has to end. */
class Run {
  readonly stats: ReadStats = { chunks: 0, lines: 0, bytes: 0, damaged: 0 };
  private readonly ends_at = performance.now() + MOST_MS;
  private work = 0;

  constructor(
    readonly reader: Reader,
    private readonly signal: AbortSignal,
  ) {}

  /** Lets other requests have their turn. @throws the reason of the signal, and ApiError 400 where the time is over */
  readonly turn: Turn = (work) => {
    this.signal.throwIfAborted();
    if (performance.now() > this.ends_at) throw tooLong();
    this.work += work;
    if (this.work < WORK_A_TURN) return undefined;
    this.work = 0;
    return nextTurn();
  };

  async streams(log: LogExpr): Promise<LogStream[]> {
    const isWanted = selects(log.matchers);
    return (await streamsOf(this.reader.project_id, this.reader)).filter(({ labels }) => isWanted(labels));
  }
}

/** Runs a query in its turn. It begins anew where chunks were merged under it. */
export function attempt<T>(
  reader: Reader,
  signal: AbortSignal,
  work: (run: Run) => Promise<T>,
): Promise<{ result: T; stats: ReadStats }> {
  return inTurn(reader.project_id, async () => {
    for (let count = 1; ; count += 1) {
      const run = new Run(reader, signal);
      try {
        return { result: await work(run), stats: run.stats };
      } catch (error) {
        if (databaseError(error)?.code === QUERY_CANCELED) throw tooLong();
        if (!(error instanceof ChunksMoved) || count === MOST_ATTEMPTS) throw error;
      }
    }
  });
}

/** 400 for a query that took too long. */
export const tooLong = () =>
  invalid(`The query took longer than ${MOST_MS / 1000} s. Narrow its time range or its selector.`);

/** The first, or last, lines of a query within a span, by the labels that they have after its pipeline. */
export function findLines(
  log: LogExpr,
  reader: Reader,
  options: { span: Span; limit: number; direction: Direction; signal: AbortSignal },
): Promise<{ result: FoundStream[]; stats: ReadStats }> {
  const { span, limit, direction, signal } = options;
  const ahead = (one: number, other: number) => (direction === 'forward' ? one - other : other - one);
  return attempt(reader, signal, async (run) => {
    let found: Entry[] = [];
    for await (const { entries, bound_us } of matching(run, log, span, direction)) {
      found.push(...entries);
      if (found.length < limit) continue;
      found = found.toSorted((one, other) => ahead(one.at_us, other.at_us)).slice(0, limit);
      const last = found.at(-1);
      // All later lines are behind the last line that is kept.
      if (last && (bound_us === undefined || ahead(last.at_us, bound_us) < 0)) break;
    }
    return byLabels(found.toSorted((one, other) => ahead(one.at_us, other.at_us)).slice(0, limit));
  });
}

function byLabels(found: readonly Entry[]): FoundStream[] {
  return [...grouped(found, ({ labels }) => labelsKey(labels)).values()].map((entries) => ({
    labels: entries[0]?.labels ?? {},
    entries: entries.map(({ at_us, line }) => ({ at_us, line })),
  }));
}

/**
 * The lines of a query in some chunks, oldest first, by the labels that they have after its pipeline.
 * @param streams the streams of the chunks; chunks of others are left out
 * @throws ChunksMoved
 */
export async function linesIn(
  log: LogExpr,
  reader: Reader,
  places: readonly { id: string; stream_id: string }[],
  options: { streams: ReadonlyMap<string, LogStream>; signal: AbortSignal },
): Promise<FoundStream[]> {
  const run = new Run(reader, options.signal);
  const span = { from_us: 0, to_us: LATEST_US };
  const entries: Entry[] = [];
  for (const { stream, chunk } of await chunksAt(reader.project_id, places, options.streams, run.stats)) {
    const { labels } = stream;
    await take(run, chunk, { step: pipelineOf(log.stages, labels), needle: needleOf(log), span, labels }, entries);
  }
  return byLabels(entries.toSorted((one, other) => one.at_us - other.at_us));
}

/** The longest text that every line of a query has. */
function needleOf(log: LogExpr): Buffer | undefined {
  const [text] = requiredTexts(log);
  return text === undefined ? undefined : Buffer.from(text);
}

/** The lines of a query, in batches of chunks. */
async function* matching(run: Run, log: LogExpr, span: Span, direction: Direction) {
  const streams = await run.streams(log);
  const pipelines = new Map(streams.map(({ id, labels }) => [id, pipelineOf(log.stages, labels)]));
  const needle = needleOf(log);
  const grams = requiredTexts(log)
    .flatMap((text) => gramsOf(Buffer.from(text)))
    .slice(0, MOST_GRAMS);
  const wanted = { ...span, grams };
  for await (const { chunks, bound_us } of readChunks(run.reader.project_id, streams, wanted, direction, run.stats)) {
    const entries: Entry[] = [];
    for (const { stream, chunk } of chunks) {
      const step = pipelines.get(stream.id);
      if (step) await take(run, chunk, { step, needle, span, labels: stream.labels }, entries);
    }
    yield { entries, bound_us };
  }
}

type Taking = { step: Step; needle: Buffer | undefined; span: Span; labels: Labels };

async function take(run: Run, chunk: Chunk, { step, needle, span, labels }: Taking, entries: Entry[]): Promise<void> {
  const candidates = needle && isSearchable(needle) ? chunk.linesWith(needle) : undefined;
  const count = candidates?.length ?? chunk.length;
  for (let position = 0; position < count; position += 1) {
    const index = candidates?.[position] ?? position;
    const at_us = chunk.timeOf(index);
    if (at_us < span.from_us || at_us >= span.to_us) continue;
    const entry: Entry = { at_us, line: chunk.textOf(index), labels };
    if (step(entry)) entries.push(entry);
    if (position % 500 === 499) await run.turn(500);
  }
  await run.turn(count % 500);
}

/** The series of a metric query at its steps, in microseconds. */
export function evaluate(
  expr: MetricExpr,
  reader: Reader,
  options: { steps: readonly number[]; signal: AbortSignal },
): Promise<{ result: Value; stats: ReadStats }> {
  return attempt(reader, options.signal, async (run) => {
    return withinLimit(await valueFrom(run, expr, options.steps));
  });
}

/** A value that an answer has room for. @throws ApiError 400 for too many series */
export function withinLimit(value: Value): Value {
  if (value.kind === 'scalar' || value.series.length <= MOST_SERIES) return value;
  throw invalid(`maximum of series (${MOST_SERIES}) reached for a single query`);
}

async function valueFrom(run: Run, expr: MetricExpr, steps: readonly number[]): Promise<Value> {
  switch (expr.kind) {
    case 'number':
      return { kind: 'scalar', values: steps.map(() => expr.value) };
    case 'constant':
      return { kind: 'series', series: [{ labels: {}, values: steps.map(() => expr.value) }] };
    case 'range':
      return { kind: 'series', series: await rangeSeries(run, expr, steps) };
    case 'vector':
      return {
        kind: 'series',
        series: await aggregate(expr, await seriesOf(run, expr.of, steps), steps.length, run.turn),
      };
    case 'label_replace':
      return { kind: 'series', series: await replaceLabel(expr, await seriesOf(run, expr.of, steps), run.turn) };
    case 'binary': {
      const left = await valueFrom(run, expr.left, steps);
      const right = await valueFrom(run, expr.right, steps);
      try {
        return await operate(expr, left, right, run.turn);
      } catch (error) {
        throw error instanceof QueryError ? invalid(error.problem) : error;
      }
    }
  }
}

async function seriesOf(run: Run, expr: MetricExpr, steps: readonly number[]): Promise<Series[]> {
  const value = await valueFrom(run, expr, steps);
  if (value.kind === 'series') return value.series;
  throw invalid('A number is not a series: use vector() to make one of it.');
}

async function rangeSeries(run: Run, expr: RangeExpr, steps: readonly number[]): Promise<Series[]> {
  const [first = 0, last = 0] = [steps[0], steps.at(-1)];
  // Windows are open at their beginning and closed at their end; spans of the store are the other way round.
  const span = { from_us: first - expr.offset_us - expr.range_us + 1, to_us: last - expr.offset_us + 1 };
  const series = new Map<string, Sampled>();
  const conditions = (expr.unwrap?.conditions ?? []).map(conditionOf);
  const isKept: Step = (entry) => conditions.every((condition) => condition(entry));
  for await (const { entries } of matching(run, expr.log, span, 'forward')) {
    for (const entry of entries) addSample(series, expr, isKept, entry);
    if (series.size > MOST_INNER_SERIES) {
      throw invalid(
        `The query has more than ${MOST_INNER_SERIES} series before they are aggregated. Group by fewer labels, or narrow the selector.`,
      );
    }
    if (series.size * steps.length > MOST_INNER_VALUES) {
      throw invalid(
        `The query has more than ${MOST_INNER_VALUES} values before they are aggregated. Use a longer step, group by fewer labels, or narrow the selector.`,
      );
    }
  }
  const reduce = windowFunction(expr);
  const values: Series[] = [];
  for (const { labels, samples } of series.values()) {
    values.push({ labels, values: await overSteps(inOrder(samples), steps, expr, reduce, run.turn) });
  }
  if (expr.op === 'absent_over_time') return absent(expr, values, steps.length);
  return values.filter((one) => one.values.some((value) => value !== undefined));
}

type Sampled = { labels: Labels; samples: Samples };

/** @throws ApiError 400 for a line with an error: a number that leaves it out would be wrong */
function addSample(series: Map<string, Sampled>, expr: RangeExpr, isKept: Step, entry: Entry): void {
  const value = valueIn(expr, isKept, entry);
  if (value === undefined) return;
  const error = entry.labels[ERROR];
  if (error !== undefined && error !== '') {
    throw pipelineError(error);
  }
  const labels = seriesLabels(expr, entry.labels);
  const key = labelsKey(labels);
  const known = series.get(key) ?? { labels, samples: { times: [], values: [] } };
  series.set(key, known);
  known.samples.times.push(entry.at_us);
  known.samples.values.push(value);
}

/** 400 for lines of a metric query that have an error. */
export const pipelineError = (error: string) =>
  invalid(
    `pipeline error: '${error}'. Use a label filter to leave such lines out: | __error__="" keeps lines without an error, | __error__!="${error}" all but these.`,
  );

function valueIn({ op, unwrap }: RangeExpr, isKept: Step, entry: Entry): number | undefined {
  if (!unwrap) return op === 'bytes_rate' || op === 'bytes_over_time' ? Buffer.byteLength(entry.line) : 1;
  const text = entry.labels[unwrap.label];
  if (text === undefined || text === '') return undefined;
  const number = numberReaders[unwrap.convert](text);
  if (number === undefined) entry.labels = { ...entry.labels, [ERROR]: entry.labels[ERROR] ?? 'SampleExtractionErr' };
  if (!isKept(entry)) return undefined;
  const value = number ?? 0;
  return unwrap.convert === 'duration' ? value / 1e6 : value;
}

function seriesLabels({ unwrap, grouping }: RangeExpr, labels: Labels): Labels {
  if (!unwrap && !grouping) return labels;
  if (grouping?.by) return pick(labels, grouping);
  const without = [...(grouping?.labels ?? []), ...(unwrap ? [unwrap.label] : [])];
  return pick(labels, { by: false, labels: without });
}

/** Lines of several streams may have the same labels after a pipeline. */
function inOrder({ times, values }: Samples): Samples {
  if (times.every((time, index) => index === 0 || (times[index - 1] ?? 0) <= time)) return { times, values };
  const order = times.map((_, index) => index).sort((one, other) => (times[one] ?? 0) - (times[other] ?? 0));
  return { times: order.map((index) => times[index] ?? 0), values: order.map((index) => values[index] ?? 0) };
}

/** One where nothing is, with the labels that the selector demands. */
function absent({ log }: RangeExpr, series: readonly Series[], steps: number): Series[] {
  const demanded = log.matchers.filter(({ op, name }) => op === '=' && name !== 'project');
  const labels = Object.fromEntries(demanded.map(({ name, value }) => [name, value]));
  const values = Array.from({ length: steps }, (_, step) =>
    series.some((one) => one.values[step] !== undefined) ? undefined : 1,
  );
  return values.some((value) => value !== undefined) ? [{ labels, values }] : [];
}

/** The own store. */
export const ownReader: LogReader = {
  findLines,
  evaluate,
  async streams(reader, selectors, span) {
    const isWanted = selectors.map(selects);
    const streams = await streamsOf(reader.project_id, reader);
    const fitting = streams.filter(({ labels }) => isWanted.some((fits) => fits(labels)));
    return (await streamsWithin(reader.project_id, fitting, span)).map(({ labels }) => labels);
  },
};
