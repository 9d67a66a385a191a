import type { Series } from '@/components/kit/charts/series';
import type { paths } from '@/lib/client/schema';
import { formatNumber } from '@/lib/format/number';
import { formatBytes } from '@/lib/format/size';

export type Metrics =
  paths['/api/v1/compute/instances/{id}/metrics']['get']['responses'][200]['content']['application/json'];
type Point = Metrics['points'][number];

/** A line of a chart: which value it shows, and how. */
export interface Line extends Pick<Series, 'label' | 'tone'> {
  key: Exclude<keyof Point, 'at'>;
}

export interface Chart {
  title: string;
  description?: string;
  lines: readonly Line[];
  /** Writes a value with its unit. */
  format: (value: number) => string;
  /** Where the axis ends at least. */
  top: number;
  /** Bytes are divided at powers of two, so that the axis shows round numbers. */
  binary: boolean;
}

const perSecond = (value: number) => `${formatBytes(value)}/s`;

/** The charts of an instance, in the order in which they are shown. */
export function charts({ memory_total_bytes }: Pick<Metrics, 'memory_total_bytes'>): Chart[] {
  return [
    {
      title: 'CPU',
      description: 'Average of all vCPUs.',
      lines: [{ key: 'cpu_percent', label: 'CPU', tone: 'accent' }],
      format: (value) => `${formatNumber(Math.round(value * 10) / 10)}%`,
      top: 100,
      binary: false,
    },
    {
      title: 'Memory',
      description: `Used on the host, of ${formatBytes(memory_total_bytes)}.`,
      lines: [{ key: 'memory_bytes', label: 'Memory', tone: 'accent' }],
      format: formatBytes,
      top: memory_total_bytes,
      binary: true,
    },
    {
      title: 'Disk',
      description: 'Boot disk and volumes together.',
      lines: [
        { key: 'disk_read_bytes_per_s', label: 'Read', tone: 'accent' },
        { key: 'disk_write_bytes_per_s', label: 'Written', tone: 'caution' },
      ],
      format: perSecond,
      top: 1024,
      binary: true,
    },
    {
      title: 'Network',
      description: 'Egress is traffic to the internet.',
      lines: [
        { key: 'network_rx_bytes_per_s', label: 'Received', tone: 'accent' },
        { key: 'network_tx_bytes_per_s', label: 'Sent', tone: 'positive' },
        { key: 'egress_bytes_per_s', label: 'Egress', tone: 'caution' },
      ],
      format: perSecond,
      top: 1024,
      binary: true,
    },
  ];
}

export type ChartRow = Omit<Point, 'at'> & { at: number };

const seconds: Record<Metrics['range'], number> = { '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800 };

const nothing: Omit<Point, 'at'> = {
  cpu_percent: null,
  memory_bytes: null,
  disk_read_bytes_per_s: null,
  disk_write_bytes_per_s: null,
  disk_reads_per_s: null,
  disk_writes_per_s: null,
  network_rx_bytes_per_s: null,
  network_tx_bytes_per_s: null,
  egress_bytes_per_s: null,
};

/** The points on the whole range's axis; where the machine was off there is a gap, not a line across it. */
export function timeline(
  { range, interval_s, points }: Metrics,
  now: number,
): { from: number; to: number; rows: ChartRow[] } {
  const interval = interval_s * 1000;
  // The last interval ends after now: the axis ends where it does.
  const to = Math.ceil(now / interval) * interval;
  const rows = points.flatMap((point, position): ChartRow[] => {
    const at = Date.parse(point.at);
    const before = points[position - 1];
    const gap = before !== undefined && at - Date.parse(before.at) > interval;
    return [...(gap ? [{ ...nothing, at: at - interval }] : []), { ...point, at }];
  });
  return { from: to - seconds[range] * 1000, to, rows };
}
