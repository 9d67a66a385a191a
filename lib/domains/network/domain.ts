import { sql } from '@/lib/core/db/sql';
import { domain, none } from '@/lib/core/domains/domain';
import { byAddress, byName } from '@/lib/core/domains/search';
import { networkingEndpoints } from './endpoints';
import { trafficMetrics } from './metrics';
import { networkPortal } from './portal';
import {
  addressesOfFloatingIps,
  addressesOfPorts,
  addressesOfRouters,
  rangesOfNetworks,
  statusesOfNetworks,
  statusesOfPorts,
  statusesOfRouters,
} from './search';

/** Private networks, their routers and ports, the rules on them, and addresses of the outside. */
export const network = domain({
  name: 'network',
  endpoints: networkingEndpoints,
  tags: {
    Networks: 'Private networks, routers and ports.',
    'Security groups': 'Inbound and outbound traffic rules for instances.',
    'Floating IPs': 'External addresses that route to an instance.',
  },
  resources: {
    network: {
      table: 'networks',
      statuses: none,
      metering: none,
      search: byName('/network/networks', {
        addresses: rangesOfNetworks,
        status: statusesOfNetworks,
      }),
    },
    router: {
      table: 'routers',
      statuses: none,
      metering: none,
      search: byName('/network/routers', {
        addresses: addressesOfRouters,
        status: statusesOfRouters,
      }),
    },
    port: {
      table: 'ports',
      statuses: none,
      metering: none,
      search: byAddress('/network/ports', 'host(r.ip)', addressesOfPorts, {
        status: statusesOfPorts,
      }),
    },
    security_group: {
      table: 'security_groups',
      statuses: none,
      metering: none,
      search: byName('/network/security-groups'),
    },
    floating_ip: {
      table: 'floating_ips',
      statuses: none,
      metering: none,
      search: byAddress('/network/floating-ips', 'host(r.address)', addressesOfFloatingIps, {
        status: { available: 'r.port_id IS NULL', associated: 'r.port_id IS NOT NULL' },
      }),
    },
  },
  services: [
    {
      id: 'networks',
      name: 'Private networks',
      category: 'networking',
      description: 'Isolated networks behind your own router, with rules for inbound and outbound traffic.',
      resources: ['network', 'router', 'port', 'security_group'],
      engines: ['network'],
      reference: 'Networks',
    },
    {
      id: 'floating_ips',
      name: 'Floating IPs',
      category: 'networking',
      description: 'External addresses that move between instances.',
      resources: ['floating_ip'],
      engines: ['network'],
      reference: 'Floating IPs',
    },
  ],
  tables: ['network_names', 'port_security_groups', 'security_group_rules', 'subnets'],
  dependsOn: none,
  portal: networkPortal,
  sealed: none,
  checks: {
    billing: none,
    quota: none,
    devices: sql`SELECT id, 'network' AS kind FROM networks UNION ALL SELECT id, 'router' FROM routers
      UNION ALL SELECT id, 'floating_ip' FROM floating_ips`,
  },
  work: async () => (await import('./work')).networkWork,
  programs: none,
  state: none,
  logs: none,
  metrics: {
    network: { service: 'network', metrics: trafficMetrics.network },
    router: { service: 'network', metrics: trafficMetrics.router },
    floating_ip: { service: 'network', metrics: trafficMetrics.floating_ip },
  },
});
