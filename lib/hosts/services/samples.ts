import { query } from '@/lib/core/db/pool';
import { join, raw, sql } from '@/lib/core/db/sql';
import { type DeviceSeries, seriesOf } from '@/lib/core/devices/metric';
import { type DeviceSample, keepSamples } from '@/lib/core/devices/samples';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import type { ServiceSource } from './engine';
import { processMetrics, type ServiceMetric, stateMetrics } from './service-metrics';

type Sampled = {
  service: string;
  id: string;
  project_id: string;
  kind: string;
  labels: DeviceSeries['labels'];
};

/** Records the counters of the cell's running services, each for its device. */
export async function sampleServices(cell: string, sources: readonly ServiceSource[]): Promise<void> {
  const { services } = engineOf(cell);
  const running = (await services.observeServices()).filter(({ power, stray }) => power === 'running' && !stray);
  if (running.length === 0) return;
  const parts = sources.flatMap((source) => source.parts ?? []);
  const devices = await query<Sampled>(sql`
    WITH parts AS (${join([noParts, ...parts], ' UNION ALL ')})
    SELECT s.id AS service, d.id, d.project_id, d.kind, coalesce(parts.labels, '{}') AS labels
    FROM unnest(${running.map(({ id }) => id)}::uuid[]) AS s (id) LEFT JOIN parts ON parts.id = s.id
    JOIN devices d ON d.id = coalesce(parts.device_id, s.id)`);
  const groups = new Map<string, { metrics: ServiceMetric[]; labels: Sampled['labels']; samples: DeviceSample[] }>();
  for (const { service, id, project_id, kind, labels } of devices) {
    const stats = await services.sampleService(service).catch((error) => {
      log.debug({ err: error, service }, 'a service could not be sampled');
      return null;
    });
    if (!stats) continue;
    const key = JSON.stringify([kind, stats.state !== null, labels]);
    const metrics = [...processMetrics(kind), ...(stats.state ? stateMetrics(kind) : [])];
    const group = groups.get(key) ?? { metrics, labels, samples: [] };
    group.samples.push({ project_id, device_id: id, at: stats.sampledAt, values: metrics.map(({ of }) => of(stats)) });
    groups.set(key, group);
  }
  for (const { metrics, labels, samples } of groups.values()) await keepSamples(seriesOf(metrics, labels), samples);
}

const noParts = raw('SELECT NULL::uuid AS id, NULL::uuid AS device_id, NULL::jsonb AS labels WHERE false');
