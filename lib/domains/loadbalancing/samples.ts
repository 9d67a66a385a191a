import { now } from '@/lib/clock';
import { sql } from '@/lib/core/db/sql';
import type { DeviceSeries } from '@/lib/core/devices/metric';
import { type DeviceSample, keepSamples } from '@/lib/core/devices/samples';
import { backendName, frontendName } from './configuration';
import { readBalancers, statsOf } from './nodes';
import { takeTimes } from './response-times';
import { timesOf, trafficOf } from './traffic-metrics';

type Group = { series: DeviceSeries[]; samples: DeviceSample[] };

/**
 * Records the traffic of the cell's load balancers by node and port. Ports and not names tell listeners apart, so that
 * there are few kinds of series.
 */
export async function sampleTraffic(cell: string): Promise<void> {
  const balancers = await readBalancers(
    sql`b.cell_id = ${cell}::text AND b.status NOT IN ('pending_create', 'pending_delete')`,
  );
  const times = takeTimes();
  const groups = new Map<string, Group>();
  await Promise.all(
    balancers.flatMap(({ id, project_id, nodes, pools }) =>
      nodes.map(async (node) => {
        const stats = (await statsOf(cell, node.id)) ?? [];
        const at = now();
        for (const { listener_id, port, protocol } of pools) {
          const frontend = stats.find(
            ({ pxname, svname }) => pxname === frontendName(listener_id) && svname === 'FRONTEND',
          );
          const backend = stats.find(
            ({ pxname, svname }) => pxname === backendName(listener_id) && svname === 'BACKEND',
          );
          if (!frontend || !backend) continue;
          const labels = { node: String(node.ordinal), port: String(port) };
          const durations = times.get(node.id)?.get(port);
          const parts = [
            trafficOf(frontend, backend, protocol !== 'TCP', labels),
            ...(durations ? [timesOf(durations, labels)] : []),
          ];
          for (const { series, values } of parts) {
            const key = JSON.stringify(series);
            const group = groups.get(key) ?? { series, samples: [] };
            groups.set(key, group);
            group.samples.push({ project_id, device_id: id, at, values });
          }
        }
      }),
    ),
  );
  for (const { series, samples } of groups.values()) await keepSamples(series, samples);
}
