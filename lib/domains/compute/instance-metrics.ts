import { type Metric, seriesOf } from '@/lib/core/devices/metric';
import type { InstanceStats } from './engine';

type InstanceMetric = Metric & { of: (stats: InstanceStats) => number };

const metric = (
  type: Metric['type'],
  name: string,
  unit: string,
  help: string,
  of: InstanceMetric['of'],
): InstanceMetric => ({ name: `nephele_instance_${name}_${unit}`, type, unit, help, of });

/** The metrics of an instance, in the order of their values in a sample. */
export const instanceMetrics: readonly InstanceMetric[] = [
  metric('counter', 'cpu', 'seconds', 'Processor time of the instance.', ({ cpuSeconds }) => cpuSeconds),
  metric('gauge', 'memory', 'bytes', 'Memory in use.', ({ memoryBytes }) => Math.round(memoryBytes)),
  metric('counter', 'disk_read', 'bytes', 'Bytes read from disks.', ({ disk }) => disk.readBytes),
  metric('counter', 'disk_write', 'bytes', 'Bytes written to disks.', ({ disk }) => disk.writtenBytes),
  metric('counter', 'disk_read', 'operations', 'Reads from disks.', ({ disk }) => disk.readOperations),
  metric('counter', 'disk_write', 'operations', 'Writes to disks.', ({ disk }) => disk.writeOperations),
  metric('counter', 'network_receive', 'bytes', 'Bytes received.', ({ network }) => network.receivedBytes),
  metric('counter', 'network_transmit', 'bytes', 'Bytes sent.', ({ network }) => network.sentBytes),
  metric('counter', 'network_egress', 'bytes', 'Bytes sent to the internet.', ({ egressBytes }) => egressBytes),
];

/** The series of every instance. */
export const instanceSeries = seriesOf(instanceMetrics);
