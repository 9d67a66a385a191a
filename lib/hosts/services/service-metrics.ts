import type { Metric } from '@/lib/core/devices/metric';
import type { ServiceStats } from './engine';

export type ServiceMetric = Metric & { of: (stats: ServiceStats) => number };

const metric = (
  kind: string,
  type: Metric['type'],
  name: string,
  unit: string,
  help: string,
  of: ServiceMetric['of'],
): ServiceMetric => ({ name: `nephele_${kind}_${name}_${unit}`, type, unit, help, of });

/** Of every service. */
export const processMetrics = (kind: string): ServiceMetric[] => [
  metric(kind, 'counter', 'cpu', 'seconds', 'Processor time.', ({ cpuSeconds }) => cpuSeconds),
  metric(kind, 'gauge', 'memory', 'bytes', 'Memory in use.', ({ memoryBytes }) => memoryBytes),
  metric(kind, 'counter', 'network_receive', 'bytes', 'Bytes received.', ({ network }) => network.receivedBytes),
  metric(kind, 'counter', 'network_transmit', 'bytes', 'Bytes sent.', ({ network }) => network.sentBytes),
];

/** Of services with a state folder. */
export const stateMetrics = (kind: string): ServiceMetric[] => [
  metric(kind, 'gauge', 'disk_used', 'bytes', 'Disk space in use.', ({ state }) => state?.usedBytes ?? 0),
  metric(kind, 'gauge', 'disk_size', 'bytes', 'Disk space.', ({ state }) => state?.totalBytes ?? 0),
];

/** The metrics of services of a kind, for the domain's `metrics`. @param kind the kind of their devices */
export const serviceMetrics = (kind: string): readonly Metric[] => [...processMetrics(kind), ...stateMetrics(kind)];
