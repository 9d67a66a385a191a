import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type DeviceSample, keepSamples } from '@/lib/core/devices/samples';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import type { Traffic } from './engine';
import { type CountedKind, trafficMetrics, trafficSeries } from './metrics';
import { wiredRouters } from './topology';

/** How many routers are asked at once. */
const AT_ONCE = 4;

type Counted = { id: string; project_id: string; networks: string[]; floating_ips: string[] };

/** Records what has passed the cell's routers, their networks and their floating IPs. */
export async function sampleRouters(cell: string): Promise<void> {
  const waiting = await query<Counted>(sql`
    SELECT r.id, r.project_id, ARRAY(SELECT n.id FROM networks n WHERE n.router_id = r.id
        AND EXISTS (SELECT FROM ports p WHERE p.network_id = n.id)) AS networks,
      ARRAY(SELECT f.id FROM floating_ips f WHERE f.project_id = r.project_id AND f.cell_id = r.cell_id AND f.port_id IS NOT NULL) AS floating_ips
    FROM routers r WHERE r.id = ANY (${[...wiredRouters(cell)]}::uuid[])`);
  const samples: Record<CountedKind, DeviceSample[]> = { network: [], router: [], floating_ip: [] };
  const ask = async () => {
    for (let router = waiting.pop(); router !== undefined; router = waiting.pop()) {
      const passed = await trafficOf(cell, router);
      const { project_id } = router;
      const at = now();
      const keep = (kind: CountedKind, ids: readonly string[]) => {
        for (const device_id of ids) {
          const traffic = passed.get(device_id);
          if (!traffic) continue;
          samples[kind].push({ project_id, device_id, at, values: trafficMetrics[kind].map(({ of }) => of(traffic)) });
        }
      };
      keep('router', [router.id]);
      keep('network', router.networks);
      keep('floating_ip', router.floating_ips);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  await keepSamples(trafficSeries.router, samples.router);
  await keepSamples(trafficSeries.network, samples.network);
  await keepSamples(trafficSeries.floating_ip, samples.floating_ip);
}

async function trafficOf(cell: string, { id, networks, floating_ips }: Counted): Promise<ReadonlyMap<string, Traffic>> {
  try {
    return await engineOf(cell).network.traffic({ id, networkIds: networks, floatingIpIds: floating_ips });
  } catch (error) {
    log.debug({ err: error, router: id }, 'a router could not be sampled');
    return new Map();
  }
}
