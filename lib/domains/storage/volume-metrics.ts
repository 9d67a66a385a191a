import { type Metric, seriesOf } from '@/lib/core/devices/metric';

const metric = (type: Metric['type'], name: string, unit: string, help: string): Metric => ({
  name: `nephele_volume_${name}_${unit}`,
  type,
  unit,
  help,
});

/** Of every volume. */
const space = [
  metric('gauge', 'size', 'bytes', 'Size of the volume.'),
  metric('gauge', 'used', 'bytes', 'Space that the volume takes on the host.'),
];
/** Of volumes that are attached to a running instance. */
const disk = [
  metric('counter', 'read', 'bytes', 'Bytes read from the volume.'),
  metric('counter', 'write', 'bytes', 'Bytes written to the volume.'),
  metric('counter', 'read', 'operations', 'Reads from the volume.'),
  metric('counter', 'write', 'operations', 'Writes to the volume.'),
];

export const volumeMetrics = [...space, ...disk];
export const volumeSpaceSeries = seriesOf(space);
export const volumeDiskSeries = seriesOf(disk);
