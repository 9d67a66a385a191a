import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { type DomainWork, none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import { purge } from '@/lib/core/operations/purge';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import { Ingress } from './ingress/ingress';
import { bareSpec } from './ingress/spec';
import { advanceRollouts } from './rollouts';
import { RouteSamples } from './traffic/samples';
import { countTraffic } from './traffic/traffic';
import { verifyHostsJob } from './verification';

/** Changed routes are served at once; this finds everything else: suspensions, certificates, addresses, health. */
const SETTLE_MS = 1000;
const COUNT_MS = 500;
const ROLLOUT_MS = 500;
/** As often as all metrics. */
const SAMPLE_MS = 15_000;

const services: ServiceSource = {
  stopOrder: 0,
  async wantedServices(cell) {
    const rows = await query<{ service_id: string }>(
      sql`SELECT service_id FROM gateway_ingresses WHERE cell_id = ${cell}::text`,
    );
    // The look below makes it what it should be.
    return rows.map(({ service_id }) => ({ spec: bareSpec(service_id), isBusy: true }));
  },
};

const watch = (cell: string): Watch => {
  const ingress = new Ingress(cell);
  return {
    join: none,
    looks: [
      {
        name: 'serving the gateway routes',
        every_ms: SETTLE_MS,
        begin: () => ({ look: () => ingress.settled(), end: () => ingress.close() }),
      },
      { name: 'counting the traffic of routes', every_ms: COUNT_MS, begin: () => ({ look: () => countTraffic(cell) }) },
      {
        name: 'sampling the traffic of routes',
        every_ms: SAMPLE_MS,
        begin: () => {
          const samples = new RouteSamples(cell);
          return { look: () => samples.take() };
        },
      },
      { name: 'moving rollouts on', every_ms: ROLLOUT_MS, begin: () => ({ look: () => advanceRollouts(cell) }) },
    ],
    changed: () => ingress.changed(),
    troubles: none,
    stop: none,
  };
};

export const gatewayWork: DomainWork = {
  steps: none,
  jobs: [
    verifyHostsJob,
    purge('gateway_traffic', 10 * 60_000, "at < (SELECT platform_now()) - interval '2 days'"),
    // A connection lasts for half an hour longer than its route; a worker that was away has older lines to count.
    purge('gateway_former_routes', 60 * 60_000, "deleted_at < (SELECT platform_now()) - interval '90 days'"),
  ],
  services,
  room: none,
  watch,
};
