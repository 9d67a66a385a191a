import { sql } from '@/lib/core/db/sql';
import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { addressesOfDevices } from '@/lib/domains/network/search';
import { processMetrics } from '@/lib/hosts/services/service-metrics';
import { settings } from '@/lib/settings';
import { loadbalancingEndpoints } from './endpoints';
import { loadbalancingPortal } from './portal';
import { countTimes } from './response-times';
import { provisioningStatuses } from './schema';
import { trafficMetrics } from './traffic-metrics';

/** Load balancers: a virtual IP in front of members, with two proxies of which one is active. */
export const loadbalancing = domain({
  name: 'loadbalancing',
  endpoints: loadbalancingEndpoints,
  tags: { 'Load balancers': 'A virtual IP that distributes connections to the members of pools.' },
  resources: {
    load_balancer: {
      table: 'load_balancers',
      statuses: provisioningStatuses,
      metering: none,
      search: byName('/lbaas/loadbalancers', { addresses: addressesOfDevices }),
    },
  },
  services: [
    {
      id: 'load_balancers',
      name: 'Load balancers',
      category: 'networking',
      description: 'Distribute connections to healthy members, with a virtual IP and automatic fail-over.',
      resources: ['load_balancer'],
      engines: ['services', 'network'],
      limit: () => ({ most: settings().loadBalancersPerProject, setting: 'LOAD_BALANCERS_PER_PROJECT' }),
      reference: 'Load balancers',
    },
  ],
  tables: ['load_balancer_listeners', 'load_balancer_members', 'load_balancer_nodes', 'load_balancer_pools'],
  dependsOn: ['instances', 'networks'],
  portal: loadbalancingPortal,
  sealed: none,
  checks: {
    billing: none,
    quota: none,
    devices: sql`SELECT id, 'load_balancer' AS kind FROM load_balancers
      UNION ALL SELECT id, 'load_balancer_node' FROM load_balancer_nodes`,
  },
  work: async () => (await import('./work')).loadbalancingWork,
  programs: ['haproxy'],
  state: none,
  logs: [
    {
      service: 'lb',
      from: 'process',
      writers: (cell) => sql`SELECT n.id, n.project_id, b.id AS resource_id, b.name AS resource_name
        FROM load_balancer_nodes n JOIN load_balancers b ON b.id = n.load_balancer_id WHERE b.cell_id = ${cell}::text`,
      seen: countTimes,
    },
  ],
  metrics: {
    load_balancer: { service: 'lb', metrics: [...processMetrics('load_balancer'), ...trafficMetrics] },
  },
});
