import { join } from 'node:path';
import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { DeviceSeries } from '@/lib/core/devices/metric';
import { type DeviceSample, keepSamples } from '@/lib/core/devices/samples';
import { ask, parseStats, type Stat } from '@/lib/domains/loadbalancing/runtime-api';
import { engineOf } from '@/lib/engines/engines';
import { ADMIN_SOCKET, backendName } from '../configuration';
import { type Durations, seriesOf } from './metrics';

type Route = { id: string; project_id: string; durations: Durations[] | null };

/** Records the traffic of the cell's routes. */
export async function sampleRoutes(cell: string): Promise<void> {
  const [ingress] = await query<{ service_id: string }>(
    sql`SELECT service_id FROM gateway_ingresses WHERE cell_id = ${cell}::text`,
  );
  if (!ingress) return;
  const socket = join(engineOf(cell).services.socketFolder(ingress.service_id), ADMIN_SOCKET);
  const answer = await ask(socket, ['show stat']);
  if (answer === undefined) return;
  const stats = new Map<string, Stat[]>();
  for (const stat of parseStats(answer)) {
    const name = stat.pxname ?? '';
    stats.set(name, [...(stats.get(name) ?? []), stat]);
  }
  const at = now();
  const groups = new Map<string, { series: DeviceSeries[]; samples: DeviceSample[] }>();
  for (const { id, project_id, durations } of await routesWithDurations(cell)) {
    const lines = stats.get(backendName(id)) ?? [];
    const backend = lines.find(({ svname }) => svname === 'BACKEND');
    if (!backend) continue;
    const servers = lines.filter((line: Stat) => line !== backend);
    for (const { series, values } of seriesOf(backend, servers, durations ?? [])) {
      const key = JSON.stringify(series);
      const group = groups.get(key) ?? { series, samples: [] };
      groups.set(key, group);
      group.samples.push({ project_id, device_id: id, at, values });
    }
  }
  for (const { series, samples } of groups.values()) await keepSamples(series, samples);
}

const routesWithDurations = (cell: string) =>
  query<Route>(sql`
    SELECT r.id, r.project_id, (SELECT jsonb_agg(to_jsonb(part)) FROM (
      SELECT backend, min(bucket) FILTER (WHERE upto >= 0.5 * total) AS p50, min(bucket) FILTER (WHERE upto >= 0.99 * total) AS p99
      FROM (SELECT t.backend, t.bucket, sum(sum(t.requests)) OVER (PARTITION BY t.backend ORDER BY t.bucket) AS upto,
          sum(sum(t.requests)) OVER (PARTITION BY t.backend) AS total
        FROM gateway_traffic t WHERE t.route_id = r.id AND t.at > platform_now() - interval '1 minute'
        GROUP BY t.backend, t.bucket) AS counted GROUP BY backend ORDER BY backend) AS part) AS durations
    FROM gateway_routes r WHERE r.cell_id = ${cell}::text ORDER BY r.id`);
