import { Reply } from '@/lib/core/api/endpoint';
import type { Value } from './promql/evaluate';
import type { Labels } from './promql/match';
import { describeError } from './promql/parse';
import { QueryError } from './promql/syntax';
import type { Series } from './promql/vector';
import { ExecutionError, NAME } from './promql/vector';

/** A parameter that cannot be read. */
export class ParameterError extends Error {
  override name = 'ParameterError';
}

type Failure = { status: 'error'; errorType: 'bad_data' | 'execution' | 'timeout'; error: string };

/** The answer of Prometheus to a query that fails; other errors are the platform's own. */
export function failure(error: unknown, query = ''): Reply<Failure> {
  const answer = (status: number, errorType: Failure['errorType'], text: string) =>
    new Reply<Failure>({ status: 'error', errorType, error: text }, { status });
  if (error instanceof QueryError) return answer(400, 'bad_data', describeError(query, error));
  if (error instanceof ParameterError) return answer(400, 'bad_data', error.message);
  if (error instanceof ExecutionError) return answer(422, 'execution', error.message);
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return answer(422, 'timeout', 'query timed out: select fewer series, a shorter time or a longer step');
  }
  throw error;
}

/** A number as Go writes it: shortest, without an exponent. */
export function writeNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  if (exponent === undefined) return String(value);
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? sign + digits.padEnd(point, '0')
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The labels of a metric, its name first, then as Prometheus sorts them. */
export function metricOf(labels: Labels): Labels {
  const names = Object.keys(labels).sort();
  return Object.fromEntries(
    [NAME, ...names.filter((name) => name !== NAME)].flatMap((name) => {
      const value = labels[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

type Sample = [time: number, value: string];

const pointsOf = ({ values, present }: Pick<Series, 'values' | 'present'>, times: readonly number[]): Sample[] =>
  times.flatMap((time, step): Sample[] => (present[step] === 1 ? [[time / 1000, writeNumber(values[step] ?? 0)]] : []));

/** The value at one moment. */
export function instantData(value: Value, time: number) {
  if (value.type === 'string') return { resultType: 'string' as const, result: [time / 1000, value.value] as Sample };
  if (value.type === 'scalar') {
    return { resultType: 'scalar' as const, result: [time / 1000, writeNumber(value.values[0] ?? 0)] as Sample };
  }
  const result = value.series.flatMap((series) => {
    const [point] = pointsOf(series, [time]);
    return point ? [{ metric: metricOf(series.labels), value: point }] : [];
  });
  return { resultType: 'vector' as const, result: bounded(result) };
}

/** The values over time. */
export function rangeData(value: Value, times: readonly number[]) {
  if (value.type === 'string')
    throw new ParameterError('invalid expression type "string" for range query, must be Scalar or instant Vector');
  const series =
    value.type === 'scalar'
      ? [{ labels: {}, values: value.values, present: new Uint8Array(value.values.length).fill(1) }]
      : value.series;
  const result = series.flatMap((one) => {
    const values = pointsOf(one, times);
    return values.length === 0 ? [] : [{ metric: metricOf(one.labels), values }];
  });
  return { resultType: 'matrix' as const, result: bounded(result) };
}

/** Series of one answer. */
export const MOST_SERIES = 1000;

/** @throws ExecutionError for too many series */
export function bounded<Item>(series: Item[]): Item[] {
  if (series.length > MOST_SERIES)
    throw new ExecutionError(`the result has more than ${MOST_SERIES.toLocaleString('en')} series`);
  return series;
}
