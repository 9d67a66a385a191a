import { none } from '@/lib/core/domains/domain';
import type { AddressSearch } from '@/lib/core/domains/search';

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
