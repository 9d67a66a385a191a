import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { knownSeries, levelOf, readIntervals } from '@/lib/core/devices/series';
import { instanceMetrics } from './instance-metrics';
import type { InstanceMetrics, MetricRange } from './schema';

/** How far back, and how much of it one point of a chart stands for: 120 to 170 points. */
const ranges: Record<MetricRange, { seconds: number; interval_s: number }> = {
  '1h': { seconds: 3600, interval_s: 30 },
  '6h': { seconds: 6 * 3600, interval_s: 180 },
  '24h': { seconds: 24 * 3600, interval_s: 600 },
  '7d': { seconds: 7 * 24 * 3600, interval_s: 3600 },
};

type Point = Omit<InstanceMetrics['points'][number], 'at'>;

/** What an instance used, as points of a chart; rates are averages of their interval. @throws ApiError 404 */
export async function readMetrics(call: ProjectCall, id: string, range: MetricRange): Promise<InstanceMetrics> {
  const found = await queryOne<{ vcpus: number; ram_gb: string }>(sql`
    SELECT f.vcpus, f.ram_gb FROM instances i JOIN flavors f ON f.id = i.flavor_id
    WHERE i.project_id = ${call.project_id}::uuid AND i.id = ${id}::uuid`);
  if (!found) throw notFound('The instance');
  const { seconds, interval_s } = ranges[range];
  const from = new Date(call.at.getTime() - seconds * 1000);
  const series = await knownSeries(instanceMetrics.map(({ name }) => name));
  const rows = await readIntervals(
    call.project_id,
    { devices: [id], series: series.map((one, part) => ({ ...one, part })) },
    { from, to: call.at, level: levelOf(from, call.at), interval_s },
  );
  const intervals = new Map<number, Map<string, number | null>>();
  for (const { interval, part, value } of rows) {
    const values = intervals.get(interval.getTime()) ?? new Map<string, number | null>();
    values.set(series[part]?.name ?? '', value);
    intervals.set(interval.getTime(), values);
  }
  return {
    range,
    interval_s,
    memory_total_bytes: Number(found.ram_gb) * 1024 ** 3,
    points: [...intervals].flatMap(([at, values]) => {
      const point = pointOf(values, found.vcpus);
      // The first sample after a pause has no rates yet.
      return point.cpu_percent === null ? [] : [{ at: new Date(at).toISOString(), ...point }];
    }),
  };
}

function pointOf(values: ReadonlyMap<string, number | null>, vcpus: number): Point {
  const value = (name: string) => values.get(`nephele_instance_${name}`) ?? null;
  const cpu = value('cpu_seconds');
  return {
    cpu_percent: cpu === null ? null : (100 * cpu) / vcpus,
    memory_bytes: Math.round(value('memory_bytes') ?? 0),
    disk_read_bytes_per_s: value('disk_read_bytes'),
    disk_write_bytes_per_s: value('disk_write_bytes'),
    disk_reads_per_s: value('disk_read_operations'),
    disk_writes_per_s: value('disk_write_operations'),
    network_rx_bytes_per_s: value('network_receive_bytes'),
    network_tx_bytes_per_s: value('network_transmit_bytes'),
    egress_bytes_per_s: value('network_egress_bytes'),
  };
}
