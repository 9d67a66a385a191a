import { sql } from '@/lib/core/db/sql';
import { domain, none } from '@/lib/core/domains/domain';
import { byName } from '@/lib/core/domains/search';
import { gatewayEndpoints } from './endpoints';
import { gatewayPortal } from './portal';
import { routeStatuses } from './schema';
import { requestsOfRoutes } from './traffic/logs';
import { routeMetrics } from './traffic/metrics';

/** Gateway routes: hosts and paths of one ingress for all tenants, each with its backends. */
export const gateway = domain({
  name: 'gateway',
  endpoints: gatewayEndpoints,
  tags: { 'Gateway routes': 'Hosts and paths of the platform’s gateway, with weighted backends and rollouts.' },
  resources: {
    gateway_route: {
      table: 'gateway_routes',
      statuses: routeStatuses,
      metering: none,
      search: byName('/gateway/routes'),
    },
  },
  services: [
    {
      id: 'gateway',
      name: 'Gateway',
      category: 'networking',
      description: 'Publish instances, load balancers and outside servers under a host name, with canary rollouts.',
      resources: ['gateway_route'],
      engines: ['services', 'network'],
      reference: 'Gateway routes',
    },
  ],
  tables: ['gateway_former_routes', 'gateway_hosts', 'gateway_ingresses', 'gateway_traffic'],
  dependsOn: none,
  portal: gatewayPortal,
  sealed: none,
  checks: {
    billing: none,
    quota: sql`SELECT project_id, id, 'api_gateways' AS dimension, 1 AS amount FROM gateway_routes`,
    devices: sql`SELECT id, 'gateway_route' AS kind FROM gateway_routes`,
  },
  work: async () => (await import('./work')).gatewayWork,
  programs: ['haproxy'],
  state: none,
  logs: [
    {
      service: 'gateway',
      from: 'process',
      writers: (
        cell,
      ) => sql`SELECT service_id AS id, NULL::uuid AS project_id, service_id AS resource_id, 'gateway' AS resource_name
        FROM gateway_ingresses WHERE cell_id = ${cell}::text`,
      attribute: requestsOfRoutes,
    },
  ],
  metrics: { gateway_route: { service: 'gateway', metrics: routeMetrics } },
});
