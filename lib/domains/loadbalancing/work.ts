import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { type DomainWork, none } from '@/lib/core/domains/domain';
import type { Watch } from '@/lib/core/domains/watch';
import type { ServiceSource } from '@/lib/hosts/services/engine';
import { nodeSpecs } from './node-spec';
import { balancerObserver } from './observer';
import { settleCertificates } from './renewals';
import { sampleTraffic } from './samples';
import { NODE_MEMORY_MB } from './service';
import { loadbalancingSteps } from './steps';

/**
 * The virtual IP must move within two seconds: this pause, the time to respond (`runtime-api.ts`) or to notice a lost link
 * (`configuration.ts`), and the move itself.
 */
export const OBSERVE_MS = 200;

/** A renewed certificate is served within seconds, long before the last one ends. */
const RENEW_MS = 5_000;
/** As often as all metrics. */
const SAMPLE_MS = 15_000;

/** The nodes of a cell. Those that an operation creates or deletes are left to it. */
export const balancerServices: ServiceSource = {
  stopOrder: 0,
  parts: sql`SELECT id, load_balancer_id AS device_id, jsonb_build_object('node', ordinal::text) AS labels FROM load_balancer_nodes`,
  async wantedServices(cell) {
    const busy = await query<{ id: string }>(sql`
      SELECT n.id FROM load_balancer_nodes n JOIN load_balancers b ON b.id = n.load_balancer_id
      WHERE b.cell_id = ${cell}::text AND b.status IN ('pending_create', 'pending_delete')`);
    const ids = new Set(busy.map(({ id }) => id));
    const specs = await nodeSpecs(sql`b.cell_id = ${cell}::text`);
    return specs.map((spec) => ({ spec, isBusy: ids.has(spec.id) }));
  },
};

/** The memory that nodes should hold in their cells. */
const room = raw(`SELECT b.cell_id, n.id AS device_id, 'memory_mb' AS kind, ${NODE_MEMORY_MB} AS amount
  FROM load_balancer_nodes n JOIN load_balancers b ON b.id = n.load_balancer_id`);

const watch = (cell: string): Watch => ({
  join: none,
  looks: [
    { name: 'observing the load balancers', every_ms: OBSERVE_MS, begin: () => ({ look: balancerObserver(cell) }) },
    {
      name: 'renewing the certificates of load balancers',
      every_ms: RENEW_MS,
      begin: () => ({ look: () => settleCertificates(cell) }),
    },
    {
      name: 'sampling the traffic of load balancers',
      every_ms: SAMPLE_MS,
      begin: () => ({ look: () => sampleTraffic(cell) }),
    },
  ],
  changed: none,
  troubles: none,
  stop: none,
});

export const loadbalancingWork: DomainWork = {
  steps: loadbalancingSteps,
  jobs: none,
  services: balancerServices,
  room,
  watch,
};
