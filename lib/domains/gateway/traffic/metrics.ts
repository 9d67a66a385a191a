import { bucketEnd } from '@/lib/core/devices/durations';
import type { DeviceSeries, Metric } from '@/lib/core/devices/metric';

const MS = 1000;
const codes = ['1xx', '2xx', '3xx', '4xx', '5xx'];

const connections: Metric = {
  name: 'nephele_gateway_route_open_connections',
  type: 'gauge',
  unit: 'connections',
  help: 'Requests in progress.',
};
const received: Metric = {
  name: 'nephele_gateway_route_receive_bytes',
  type: 'counter',
  unit: 'bytes',
  help: 'Bytes from clients.',
};
const sent: Metric = {
  name: 'nephele_gateway_route_transmit_bytes',
  type: 'counter',
  unit: 'bytes',
  help: 'Bytes to clients.',
};
const responses: Metric = {
  name: 'nephele_gateway_route_backend_responses',
  type: 'counter',
  unit: 'responses',
  help: 'HTTP responses by backend and class of status (`code`); without `backend`: answers of the gateway itself, because no backend could be asked.',
};
const median: Metric = {
  name: 'nephele_gateway_route_backend_p50_seconds',
  type: 'gauge',
  unit: 'seconds',
  help: 'Median duration of the requests of the last minute, by backend.',
};
const slowest: Metric = {
  name: 'nephele_gateway_route_backend_p99_seconds',
  type: 'gauge',
  unit: 'seconds',
  help: '99th percentile of the same.',
};

/** What gateway routes report. */
export const routeMetrics: readonly Metric[] = [connections, received, sent, responses, median, slowest];

/** Durations of a backend's requests: the buckets of the median and of the 99th percentile. */
export type Durations = { backend: string; p50: number; p99: number };

/** Series that are always stored together. */
export type SeriesGroup = { series: DeviceSeries[]; values: number[] };

const value = ({ name, type }: Metric, amount: number, labels: DeviceSeries['labels'] = {}) => ({
  series: { name, type, labels },
  amount,
});
const groupOf = (values: readonly ReturnType<typeof value>[]): SeriesGroup => ({
  series: values.map(({ series }) => series),
  values: values.map(({ amount }) => amount),
});

/** Counters of a backend of a route, by HAProxy's names. */
export type Counts = Record<string, number>;

/**
 * The series of a route with their present values: a group for what every route has, and groups for each backend,
 * because backends come and go.
 * @param open requests in progress
 * @param counted by backend
 * @param unserved 5xx answers of the gateway itself
 */
export function seriesOf(
  open: number,
  counted: ReadonlyMap<string, Counts>,
  durations: readonly Durations[],
  unserved: number,
): SeriesGroup[] {
  const sum = (counter: string) => [...counted.values()].reduce((all, counts) => all + (counts[counter] ?? 0), 0);
  return [
    groupOf([value(connections, open), value(received, sum('bin')), value(sent, sum('bout'))]),
    groupOf([value(responses, unserved, { code: '5xx' })]),
    ...[...counted].map(([backend, counts]) =>
      groupOf(codes.map((code) => value(responses, counts[`hrsp_${code}`] ?? 0, { backend, code }))),
    ),
    ...durations.map(({ backend: name, p50, p99 }) =>
      groupOf([
        value(median, bucketEnd(p50) / MS, { backend: name }),
        value(slowest, bucketEnd(p99) / MS, { backend: name }),
      ]),
    ),
  ];
}
