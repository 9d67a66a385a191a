import { none } from '@/lib/core/domains/domain';
import type { AddressSearch } from '@/lib/core/domains/search';
import { deviceUsesItsPorts, usesItsPorts } from '@/lib/domains/compute/fragments';

const ports = { from: 'ports', project_id: 'project_id', ip: 'ip', mac: 'lower(mac)', range: none } as const;

export const addressesOfPorts: readonly AddressSearch[] = [{ ...ports, id: 'id' }];

/** The addresses that lead to a device: those of its ports, and floating IPs on them. */
export const addressesOfDevices: readonly AddressSearch[] = [
  { ...ports, id: 'device_id' },
  {
    from: 'floating_ips f JOIN ports p ON p.id = f.port_id',
    id: 'p.device_id',
    project_id: 'f.project_id',
    ip: 'f.address',
    mac: none,
    range: none,
  },
];

export const addressesOfFloatingIps: readonly AddressSearch[] = [
  { from: 'floating_ips', id: 'id', project_id: 'project_id', ip: 'address', mac: none, range: none },
];

export const rangesOfNetworks: readonly AddressSearch[] = [
  { from: 'subnets', id: 'network_id', project_id: 'project_id', ip: none, mac: none, range: 'cidr' },
];

export const addressesOfRouters: readonly AddressSearch[] = [
  {
    from: '(SELECT * FROM routers WHERE external_ip IS NOT NULL) AS outside',
    id: 'id',
    project_id: 'project_id',
    ip: 'external_ip',
    mac: none,
    range: none,
  },
];

/** The status of a router, given its alias, and of the networks behind it. A router without a host has nothing to apply. */
export const statusOfRouter = (r: string): string =>
  `CASE WHEN ${r}.cell_id IS NULL OR ${r}.applied_revision = ${r}.revision THEN 'active' ELSE 'updating' END`;

/** The status of a router `r` in the inventory. */
export const statusesOfRouters = {
  active: `${statusOfRouter('r')} = 'active'`,
  updating: `${statusOfRouter('r')} = 'updating'`,
};

const routerIs = (status: string) =>
  `EXISTS (SELECT FROM routers o WHERE o.id = r.router_id AND ${statusOfRouter('o')} = '${status}')`;
/** The status of a network `r` in the inventory. */
export const statusesOfNetworks = { active: routerIs('active'), updating: routerIs('updating') };

/** The status of a port of the instance `i`, or of a service without one. */
export const portStatuses = { active: usesItsPorts, down: `NOT ${usesItsPorts}` };
export const statusOfPort = `CASE WHEN ${usesItsPorts} THEN 'active' ELSE 'down' END`;

const usesPort = deviceUsesItsPorts('r.device_id');
/** The status of a port `r` in the inventory. */
export const statusesOfPorts = { active: usesPort, down: `NOT ${usesPort}` };
