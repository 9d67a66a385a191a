import { domain, none } from '@/lib/core/domains/domain';
import { byAddress, byName } from '@/lib/core/domains/search';
import { networkingEndpoints } from './endpoints';
import { networkPortal } from './portal';
import {
  addressesOfFloatingIps,
  addressesOfPorts,
  rangesOfNetworks,
  statusesOfNetworks,
  statusesOfPorts,
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
      resources: ['network', 'port', 'security_group'],
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
  tables: ['network_names', 'port_security_groups', 'routers', 'security_group_rules', 'subnets'],
  dependsOn: none,
  portal: networkPortal,
  sealed: none,
  checks: none,
  work: async () => (await import('./work')).networkWork,
  programs: none,
  state: none,
  logs: none,
  metrics: none,
});
