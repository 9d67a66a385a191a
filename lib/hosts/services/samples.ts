import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { seriesOf } from '@/lib/core/devices/metric';
import { type DeviceSample, keepSamples } from '@/lib/core/devices/samples';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { processMetrics, type ServiceMetric, stateMetrics } from './service-metrics';

/** Records the counters of the cell's running services. A service is the device with its id. */
export async function sampleServices(cell: string): Promise<void> {
  const { services } = engineOf(cell);
  const running = (await services.observeServices()).filter(({ power, stray }) => power === 'running' && !stray);
  if (running.length === 0) return;
  const devices = await query<{ id: string; project_id: string; kind: string }>(
    sql`SELECT id, project_id, kind FROM devices WHERE id = ANY (${running.map(({ id }) => id)}::uuid[])`,
  );
  const groups = new Map<string, { metrics: ServiceMetric[]; samples: DeviceSample[] }>();
  for (const { id, project_id, kind } of devices) {
    const stats = await services.sampleService(id).catch((error) => {
      log.debug({ err: error, service: id }, 'a service could not be sampled');
      return null;
    });
    if (!stats) continue;
    const key = `${kind} ${stats.state !== null}`;
    const metrics = [...processMetrics(kind), ...(stats.state ? stateMetrics(kind) : [])];
    const group = groups.get(key) ?? { metrics, samples: [] };
    group.samples.push({ project_id, device_id: id, at: stats.sampledAt, values: metrics.map(({ of }) => of(stats)) });
    groups.set(key, group);
  }
  for (const { metrics, samples } of groups.values()) await keepSamples(seriesOf(metrics), samples);
}
