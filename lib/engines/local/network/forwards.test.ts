import { describe, expect, it } from 'vitest';
import type { Router, SecurityRule } from '@/lib/domains/network/engine';
import { wantedForwards } from './forwards';

const opens = (change: Partial<SecurityRule>): SecurityRule => ({
  direction: 'ingress',
  protocol: 'tcp',
  portRangeMin: null,
  portRangeMax: null,
  cidr: '0.0.0.0/0',
  ...change,
});

const ports = (...rules: SecurityRule[]) => {
  const port = {
    id: 'p',
    mac: '02:00:00:00:00:01',
    ip: '10.0.0.5',
    hostname: 'a',
    securityGroupIds: ['g'],
    holderId: 'i',
    attachment: 'tap' as const,
    sharedAddresses: [],
  };
  const network = {
    id: 'n',
    cidr: '10.0.0.0/24',
    gatewayIp: '10.0.0.1',
    dhcpEnabled: true,
    dnsServers: [],
    names: [],
    ports: [port],
  };
  const floatingIps = [{ id: 'f', address: '127.70.0.1', portId: 'p' }];
  const router: Router = { id: 'r', networks: [network], securityGroups: [{ id: 'g', rules }], floatingIps };
  return wantedForwards(router).map(({ protocol, port, hostPort }) => `${protocol} ${port} at ${hostPort}`);
};

describe('floating IPs of an engine without root', () => {
  it('have low ports where an ordinary user may listen, 80 at 8080', () => {
    expect(ports(opens({ portRangeMin: 80, portRangeMax: 80 }), opens({ portRangeMin: 5432 }))).toEqual([
      'tcp 5432 at 5432',
      'tcp 80 at 8080',
    ]);
  });

  it('never give two ports of a guest the same port of the host', () => {
    const both = ports(opens({ portRangeMin: 8080 }), opens({ portRangeMin: 80 }));
    expect(both).toEqual(['tcp 8080 at 8080', 'tcp 80 at 18080']);
  });

  it('open every port of a narrow range and the well-known ones of a wide range', () => {
    expect(ports(opens({ portRangeMin: 9000, portRangeMax: 9063 }))).toHaveLength(64);
    expect(ports(opens({ portRangeMin: 3000, portRangeMax: 9000 }))).toContain('tcp 5432 at 5432');
    expect(ports(opens({ protocol: 'any' }))).toContain('tcp 22 at 8022');
  });

  it('open nothing for pings, for what guests may send, and one forward for the same port twice', () => {
    expect(ports(opens({ protocol: 'icmp' }), opens({ direction: 'egress', portRangeMin: 80 }))).toEqual([]);
    expect(ports(opens({ portRangeMin: 8443 }), opens({ portRangeMin: 8443, cidr: '10.0.0.0/8' }))).toHaveLength(1);
  });
});
