import { join } from 'node:path';
import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { DeviceSeries } from '@/lib/core/devices/metric';
import { type DeviceSample, keepSamples } from '@/lib/core/devices/samples';
import type { Stat } from '@/lib/domains/loadbalancing/runtime-api';
import { engineOf } from '@/lib/engines/engines';
import { ADMIN_SOCKET, backendName, backendOfPlace, backendOfServer, PLACES } from '../configuration';
import { readRunning } from '../ingress/running';
import { type Counts, type Durations, seriesOf } from './metrics';

type Route = { id: string; project_id: string; durations: Durations[] | null; unserved: number };

/** Counters of HAProxy's servers that make up those of a route. */
const COUNTERS = ['bin', 'bout', 'hrsp_1xx', 'hrsp_2xx', 'hrsp_3xx', 'hrsp_4xx', 'hrsp_5xx'] as const;

/** Records the traffic of a cell's routes. */
export class RouteSamples {
  /** What each server has counted, by its path, as of the last look. */
  private last: Map<string, Stat> | undefined;
  /** Sums since this process looks, by route and backend: servers come and go while a route stays. */
  private readonly sums = new Map<string, Map<string, Counts>>();

  constructor(private readonly cell: string) {}

  /** Takes a sample of each route. */
  async take(): Promise<void> {
    const [ingress] = await query<{ service_id: string }>(
      sql`SELECT service_id FROM gateway_ingresses WHERE cell_id = ${this.cell}::text`,
    );
    if (!ingress) return;
    const running = await readRunning(
      join(engineOf(this.cell).services.socketFolder(ingress.service_id), ADMIN_SOCKET),
    );
    if (running === undefined) return;
    const places = running.maps.get(PLACES) ?? new Map<string, string>();
    const routes = await routesWithDurations(this.cell);
    const byBackend = new Map<string, Stat[]>();
    for (const stat of running.servers.values()) {
      const name = stat.pxname ?? '';
      byBackend.set(name, [...(byBackend.get(name) ?? []), stat]);
    }
    const at = now();
    const groups = new Map<string, { series: DeviceSeries[]; samples: DeviceSample[] }>();
    for (const { id, project_id, durations, unserved } of routes) {
      const place = places.get(backendName(id));
      if (place === undefined) continue;
      const servers = byBackend.get(backendOfPlace(place)) ?? [];
      const counted = this.count(id, servers);
      const open = servers.reduce((sum, { scur }) => sum + Number(scur), 0);
      for (const { series, values } of seriesOf(open, counted, durations ?? [], unserved)) {
        const key = JSON.stringify(series);
        const group = groups.get(key) ?? { series, samples: [] };
        groups.set(key, group);
        group.samples.push({ project_id, device_id: id, at, values });
      }
    }
    const present = new Set(routes.map(({ id }) => id));
    for (const id of this.sums.keys()) if (!present.has(id)) this.sums.delete(id);
    this.last = new Map(running.servers);
    for (const { series, samples } of groups.values()) await keepSamples(series, samples);
  }

  /** Adds what servers have counted since the last look. A reload starts their counters anew. */
  private count(route: string, servers: readonly Stat[]): ReadonlyMap<string, Counts> {
    const sums = this.sums.get(route) ?? new Map<string, Counts>();
    this.sums.set(route, sums);
    for (const stat of servers) {
      const before = this.last === undefined ? stat : this.last.get(`${stat.pxname}/${stat.svname}`);
      const name = backendOfServer(stat.svname ?? '');
      const sum = sums.get(name) ?? {};
      for (const counter of COUNTERS) {
        const [counted, earlier] = [Number(stat[counter]), Number(before?.[counter] ?? 0)];
        sum[counter] = (sum[counter] ?? 0) + (counted < earlier ? counted : counted - earlier);
      }
      sums.set(name, sum);
    }
    return sums;
  }
}

const routesWithDurations = (cell: string) =>
  query<Route>(sql`
    SELECT r.id, r.project_id, r.unserved_responses::float8 AS unserved, (SELECT jsonb_agg(to_jsonb(part)) FROM (
      SELECT backend, min(bucket) FILTER (WHERE upto >= 0.5 * total) AS p50, min(bucket) FILTER (WHERE upto >= 0.99 * total) AS p99
      FROM (SELECT t.backend, t.bucket, sum(sum(t.requests)) OVER (PARTITION BY t.backend ORDER BY t.bucket) AS upto,
          sum(sum(t.requests)) OVER (PARTITION BY t.backend) AS total
        FROM gateway_traffic t WHERE t.route_id = r.id AND t.at > platform_now() - interval '1 minute'
        GROUP BY t.backend, t.bucket) AS counted GROUP BY backend ORDER BY backend) AS part) AS durations
    FROM gateway_routes r WHERE r.cell_id = ${cell}::text ORDER BY r.id`);
