import type { ProjectCall, Reply } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import { parseMoment } from '../moment';
import { inTurn } from '../turns';
import { failure, instantData, metricOf, ParameterError, rangeData } from './answer';
import { ProjectSeries } from './project-samples';
import { OutsideSeries } from './prometheus/query';
import { evaluate, type Steps } from './promql/evaluate';
import { parseDuration } from './promql/literals';
import { parsePromql } from './promql/parse';
import { type Expression, type Matcher, QueryError } from './promql/syntax';
import type { SampledKind } from './resources';

/** Seconds of 11 digits reach into the year 5138. */
const SECONDS_DIGITS = 11;
const LONGEST_MS = 30_000;
export const MOST_POINTS = 11_000;

/** Unix seconds, as Prometheus has them, Unix nanoseconds, or ISO 8601; in milliseconds. */
export function parseTime(name: string, text: string): number {
  const nanoseconds = parseMoment(text, SECONDS_DIGITS);
  const time = nanoseconds === undefined ? Number.NaN : Math.round(Number(nanoseconds) / 1e6);
  // The years that the database holds as timestamps.
  if (!(time >= 0 && time < 8e15))
    throw new ParameterError(`invalid parameter "${name}": cannot parse "${text.slice(0, 40)}" to a valid timestamp`);
  return Math.min(time, Date.UTC(9999, 0));
}

/** A step in milliseconds. */
export function parseStep(text: string): number {
  const step = parseDuration(text);
  if (step === undefined || step < 1) {
    throw new ParameterError(
      'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive number',
    );
  }
  return step;
}

type Query = { query?: string | undefined; timeout?: string | undefined };

/** @throws QueryError, also for a bare range vector, which Prometheus answers with raw samples */
function expressionOf({ query = '' }: Query): Expression {
  const expression = parsePromql(query);
  if (expression.type === 'matrix') {
    throw new QueryError('a range vector is not supported as a result: apply a function such as rate()', expression.at);
  }
  return expression;
}

/** Aborts when the caller leaves or the time limit of the query is reached. */
function signalOf(call: ProjectCall, timeout?: string): AbortSignal {
  const limit = Math.min(LONGEST_MS, (timeout === undefined ? undefined : parseDuration(timeout)) ?? LONGEST_MS);
  return AbortSignal.any([call.signal, AbortSignal.timeout(limit)]);
}

/** Queries of logs and of metrics take turns together. */
function inTurnOf<T>(call: ProjectCall, work: () => Promise<T>): Promise<T> {
  return inTurn(call.project_id, async () => {
    call.signal.throwIfAborted();
    return work();
  });
}

/** The project’s metrics in an outside Prometheus; undefined without one. */
function outsideSeries(call: ProjectCall, timeout?: string): OutsideSeries | undefined {
  if (settings().prometheusUrl === undefined) return undefined;
  return new OutsideSeries(call.project_id, signalOf(call, timeout));
}

async function answered(
  call: ProjectCall,
  kinds: readonly SampledKind[],
  expression: Expression,
  timeout: string | undefined,
  steps: Steps,
) {
  const series = new ProjectSeries(call.project_id, kinds);
  const samples = series.samplesFor(expression, steps, call.at);
  const value = await evaluate(expression, steps, samples, signalOf(call, timeout));
  const old = `Samples of this age are kept every ${samples.level / 60} minutes: a range needs ${samples.level / 30} minutes at least.`;
  return { value, warnings: samples.level === 15 ? {} : { warnings: [old] } };
}

/** A query at one moment. */
export async function queryInstant(
  call: ProjectCall,
  kinds: readonly SampledKind[],
  given: Query & { time?: string | undefined },
) {
  try {
    const time = given.time === undefined ? call.at.getTime() : parseTime('time', given.time);
    const expression = expressionOf(given);
    const outside = outsideSeries(call, given.timeout);
    if (outside)
      return { status: 'success' as const, data: await inTurnOf(call, () => outside.instant(expression, time)) };
    const at = { start: time, end: time, step: 1 };
    const { value, warnings } = await inTurnOf(call, () => answered(call, kinds, expression, given.timeout, at));
    return { status: 'success' as const, data: instantData(value, time), ...warnings };
  } catch (error) {
    return failure(error, given.query);
  }
}

type Range = Query & { start?: string | undefined; end?: string | undefined; step?: string | undefined };

/** A query over time. */
export async function queryRange(call: ProjectCall, kinds: readonly SampledKind[], given: Range) {
  try {
    const steps = {
      start: parseTime('start', given.start ?? ''),
      end: parseTime('end', given.end ?? ''),
      step: parseStep(given.step ?? ''),
    };
    if (steps.end < steps.start)
      throw new ParameterError('invalid parameter "end": end timestamp must not be before start time');
    const points = Math.floor((steps.end - steps.start) / steps.step) + 1;
    if (points > MOST_POINTS) {
      throw new ParameterError(
        'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
      );
    }
    const expression = expressionOf(given);
    const outside = outsideSeries(call, given.timeout);
    if (outside)
      return { status: 'success' as const, data: await inTurnOf(call, () => outside.range(expression, steps)) };
    const { value, warnings } = await inTurnOf(call, () => answered(call, kinds, expression, given.timeout, steps));
    const times = Array.from({ length: points }, (_, index) => steps.start + index * steps.step);
    return { status: 'success' as const, data: rangeData(value, times), ...warnings };
  } catch (error) {
    return failure(error, given.query);
  }
}

type Selection = { 'match[]'?: string[] | undefined; start?: string | undefined; end?: string | undefined };

/** The labels of the series that any of the selectors names, in a span of time; of all series without a selector. */
async function labelsOf(call: ProjectCall, kinds: readonly SampledKind[], given: Selection) {
  const span = {
    from: new Date(given.start === undefined ? 0 : parseTime('start', given.start)),
    to: given.end === undefined ? call.at : new Date(parseTime('end', given.end)),
  };
  const selections = given['match[]']?.map(selectorOf) ?? [[]];
  const outside = outsideSeries(call);
  if (outside) return inTurnOf(call, () => outside.series(selections, span));
  const series = new ProjectSeries(call.project_id, kinds);
  const reported = () => Promise.all(selections.map((matchers) => series.reported(matchers, span)));
  const found = (await inTurnOf(call, reported)).flat();
  return [...new Map(found.map(({ labels }) => [JSON.stringify(labels), labels])).values()];
}

function selectorOf(text: string): readonly Matcher[] {
  try {
    const selector = parsePromql(text);
    if (selector.kind === 'selector' && selector.type === 'vector' && selector.offset_ms === 0)
      return selector.matchers;
  } catch (error) {
    return failed(error, text);
  }
  throw new ParameterError('invalid parameter "match[]": only a selector is allowed here');
}

function failed(error: unknown, text: string): never {
  const reply: Reply<{ error: string }> = failure(error, text);
  throw new ParameterError(`invalid parameter "match[]": ${reply.body.error}`);
}

/** The names of labels. */
export async function labelNames(call: ProjectCall, kinds: readonly SampledKind[], given: Selection) {
  try {
    const names = new Set((await labelsOf(call, kinds, given)).flatMap((labels) => Object.keys(labels)));
    return { status: 'success' as const, data: [...names].sort() };
  } catch (error) {
    return failure(error);
  }
}

/** The values of a label. @throws ApiError 404 for what can be no label's name */
export async function labelValues(call: ProjectCall, kinds: readonly SampledKind[], name: string, given: Selection) {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) throw notFound('The label', '');
  try {
    const values = new Set((await labelsOf(call, kinds, given)).flatMap((labels) => labels[name] ?? []));
    return { status: 'success' as const, data: [...values].sort() };
  } catch (error) {
    return failure(error);
  }
}

/** Series by their labels. */
export async function series(call: ProjectCall, kinds: readonly SampledKind[], given: Selection) {
  try {
    if (given['match[]'] === undefined) throw new ParameterError('no match[] parameter provided');
    return { status: 'success' as const, data: (await labelsOf(call, kinds, given)).map(metricOf) };
  } catch (error) {
    return failure(error);
  }
}

/** What each metric means. */
export function metadata(kinds: readonly SampledKind[], { metric }: { metric?: string | undefined }) {
  const metrics = kinds.flatMap((kind) => kind.metrics).filter(({ name }) => metric === undefined || name === metric);
  const data = Object.fromEntries(metrics.map(({ name, type, help, unit }) => [name, [{ type, help, unit }]]));
  return { status: 'success' as const, data };
}
