import type { Durations } from '@/lib/core/devices/durations';
import type { DeviceSeries, Metric } from '@/lib/core/devices/metric';
import type { Stat } from './runtime-api';

/** A metric from a line of `show stat`; `http`: only where HAProxy understands the requests. */
type TrafficMetric = Metric & { of: (stat: Stat) => number; http: boolean; code?: string };

const metric = (
  part: 'listener' | 'pool',
  type: Metric['type'],
  name: string,
  unit: string,
  help: string,
  of: TrafficMetric['of'],
  http = false,
): TrafficMetric => ({
  name: `nephele_load_balancer_${part}_${name === '' ? unit : `${name}_${unit}`}`,
  type,
  unit,
  help,
  of,
  http,
});

const count = (column: string) => (stat: Stat) => Number(stat[column]);
const codes = ['1xx', '2xx', '3xx', '4xx', '5xx'];
const responses = (part: 'listener' | 'pool', help: string): TrafficMetric[] =>
  codes.map((code) => ({
    ...metric(part, 'counter', '', 'responses', help, count(`hrsp_${code}`), true),
    code,
  }));

/** Of a listener: HAProxy's line FRONTEND. */
const listenerMetrics: readonly TrafficMetric[] = [
  metric('listener', 'gauge', 'open', 'connections', 'Open connections of clients.', count('scur')),
  metric('listener', 'counter', 'accepted', 'connections', 'Accepted connections of clients.', count('stot')),
  metric('listener', 'counter', '', 'requests', 'HTTP requests.', count('req_tot'), true),
  ...responses('listener', 'HTTP responses to clients by class of status (`code`).'),
  metric('listener', 'counter', 'receive', 'bytes', 'Bytes from clients.', count('bin')),
  metric('listener', 'counter', 'transmit', 'bytes', 'Bytes to clients.', count('bout')),
];

const MS = 1000;

/** Of a pool: HAProxy's line BACKEND. */
const poolMetrics: readonly TrafficMetric[] = [
  metric('pool', 'gauge', 'open', 'connections', 'Connections in progress.', count('scur')),
  metric('pool', 'gauge', 'serving', 'members', 'Members that take connections.', (stat) => {
    return Number(stat.act) + Number(stat.bck);
  }),
  ...responses('pool', 'HTTP responses of members by class of status (`code`).'),
  metric(
    'pool',
    'gauge',
    'response',
    'seconds',
    'Average time until a member responds, of the last 1,024 requests.',
    (stat) => Number(stat.rtime) / MS,
    true,
  ),
  metric('pool', 'counter', 'receive', 'bytes', 'Bytes from members.', count('bout')),
  metric('pool', 'counter', 'transmit', 'bytes', 'Bytes to members.', count('bin')),
];

const times = [0.5, 0.99].map((share) => {
  const name = `p${share * 100}`;
  return {
    share,
    metric: {
      name: `nephele_load_balancer_listener_${name}_seconds`,
      type: 'gauge',
      unit: 'seconds',
      help:
        share === 0.5 ? 'Median duration of the HTTP requests since the last sample.' : '99th percentile of the same.',
    } satisfies Metric,
  };
});

/** How long a listener's requests took: series of their own, because there are none in a time without requests. */
export const timesOf = (durations: Durations, labels: DeviceSeries['labels']) => ({
  series: times.map(({ metric: { name, type } }): DeviceSeries => ({ name, type, labels })),
  values: times.map(({ share }) => durations.quantile(share) / MS),
});

const described = ({ name, type, unit, help }: Metric): Metric => ({ name, type, unit, help });

/** The metrics of traffic, each once. */
export const trafficMetrics: readonly Metric[] = [
  ...new Map(
    [...listenerMetrics, ...times.map(({ metric }) => metric), ...poolMetrics].map((one) => [one.name, described(one)]),
  ).values(),
];

type Part = { stat: Stat; metrics: readonly TrafficMetric[] };

/**
 * The series of a listener and its pool with their present values.
 * @param labels of all of them
 */
export function trafficOf(
  frontend: Stat,
  backend: Stat,
  isHttp: boolean,
  labels: DeviceSeries['labels'],
): { series: DeviceSeries[]; values: number[] } {
  const parts: Part[] = [
    { stat: frontend, metrics: listenerMetrics },
    { stat: backend, metrics: poolMetrics },
  ];
  const found = parts.flatMap(({ stat, metrics }) =>
    metrics
      .filter(({ http }) => isHttp || !http)
      .map(({ name, type, of, code }) => ({
        series: { name, type, labels: code === undefined ? labels : { ...labels, code } },
        value: of(stat),
      })),
  );
  return { series: found.map(({ series }) => series), values: found.map(({ value }) => value) };
}
