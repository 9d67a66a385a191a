import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { query, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import type { InstanceMetrics, MetricRange } from './schema';

/** How far back, and how much of it one point of a chart stands for: 120 to 170 points. */
const ranges: Record<MetricRange, { seconds: number; interval_s: number }> = {
  '1h': { seconds: 3600, interval_s: 30 },
  '6h': { seconds: 6 * 3600, interval_s: 180 },
  '24h': { seconds: 24 * 3600, interval_s: 600 },
  '7d': { seconds: 7 * 24 * 3600, interval_s: 3600 },
};

/** Between samples that are further apart the machine was off or nobody looked: no rate is made up for that. */
const LONGEST_GAP_S = 90;

const counters = [
  'cpu_seconds',
  'disk_read_bytes',
  'disk_write_bytes',
  'disk_reads',
  'disk_writes',
  'network_rx_bytes',
  'network_tx_bytes',
  'egress_bytes',
] as const;

/** A counter below its last value began anew with a new start of the machine. */
const growth = counters.map(
  (name) =>
    `CASE WHEN s.${name} >= lag(s.${name}) OVER w THEN s.${name} - lag(s.${name}) OVER w ELSE s.${name} END AS ${name}`,
);
const rate = (name: (typeof counters)[number]) => `sum(d.${name})::float8 / nullif(sum(d.seconds), 0)`;
const rates = counters.map((name) => `${rate(name)} AS ${name}`).join(', ');

type Point = Record<(typeof counters)[number], number | null> & { at: Date; memory_bytes: number };

/** What an instance used, as points of a chart; rates are averages of their interval. @throws ApiError 404 */
export async function readMetrics(call: ProjectCall, id: string, range: MetricRange): Promise<InstanceMetrics> {
  const found = await queryOne<{ vcpus: number; ram_gb: string }>(sql`
    SELECT f.vcpus, f.ram_gb FROM instances i JOIN flavors f ON f.id = i.flavor_id
    WHERE i.project_id = ${call.project_id}::uuid AND i.id = ${id}::uuid`);
  if (!found) throw notFound('The instance');
  const { seconds, interval_s } = ranges[range];
  const from = new Date(call.at.getTime() - seconds * 1000);
  const points = await query<Point>(sql`
    SELECT date_bin(${interval_s}::int * interval '1 second', d.at, 'epoch') + ${interval_s}::int * interval '1 second' AS at,
      avg(d.memory_bytes)::float8 AS memory_bytes, ${raw(rates)}
    FROM (
      SELECT s.at, s.memory_bytes, extract(epoch FROM s.at - lag(s.at) OVER w) AS seconds, ${raw(growth.join(', '))}
      FROM device_samples s WHERE s.device_id = ${id}::uuid
        AND s.at > ${from}::timestamptz - ${LONGEST_GAP_S}::int * interval '1 second' WINDOW w AS (ORDER BY s.at)
    ) AS d WHERE d.at > ${from}::timestamptz AND d.seconds <= ${LONGEST_GAP_S}::int GROUP BY 1 ORDER BY 1`);
  return {
    range,
    interval_s,
    memory_total_bytes: Number(found.ram_gb) * 1024 ** 3,
    points: points.map((point) => ({
      at: point.at.toISOString(),
      cpu_percent: point.cpu_seconds === null ? null : (100 * point.cpu_seconds) / found.vcpus,
      memory_bytes: Math.round(point.memory_bytes),
      disk_read_bytes_per_s: point.disk_read_bytes,
      disk_write_bytes_per_s: point.disk_write_bytes,
      disk_reads_per_s: point.disk_reads,
      disk_writes_per_s: point.disk_writes,
      network_rx_bytes_per_s: point.network_rx_bytes,
      network_tx_bytes_per_s: point.network_tx_bytes,
      egress_bytes_per_s: point.egress_bytes,
    })),
  };
}
