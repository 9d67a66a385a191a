import { z } from 'zod';
import { listQuery, sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, reference, times } from '@/lib/core/api/schemas';
import { newName } from '@/lib/core/resources/rename';
import { tagFilter } from '@/lib/core/tags/schema';
import { networkCidr, rangeOf, toAddress, toNumber } from './ipv4';
import { isPrivateRange, NARROWEST_PREFIX, PRIVATE_RANGES, WIDEST_PREFIX } from './private-range';

const ipv4 = z.ipv4().meta({ description: 'An IPv4 address.', example: '10.0.0.5' });
const mac = z.string().meta({ description: 'A MAC address.', example: '02:1f:a3:5c:77:09' });

/** A CIDR of IPv4 that names a network, not a host in it. */
const cidr = z
  .cidrv4({ abort: true })
  .refine((text) => text === networkCidr(text), {
    error: ({ input }) => `has host bits set; did you mean ${networkCidr(String(input))}?`,
    abort: true,
  })
  .meta({ description: 'An IPv4 range in CIDR notation (RFC 4632).', example: '10.20.0.0/24' });

const privateCidr = cidr.refine(
  (text) => isPrivateRange(rangeOf(text)),
  `must be a /${WIDEST_PREFIX} to /${NARROWEST_PREFIX} inside ${PRIVATE_RANGES.join(', ')} (RFC 1918)`,
);

const dnsServers = z
  .array(ipv4)
  .max(3)
  .meta({ description: 'DNS servers for guests. If empty, the platform’s resolver at the gateway.' });

const subnet = z
  .strictObject({ id, cidr, gateway_ip: ipv4, dhcp_enabled: z.boolean(), dns_servers: dnsServers })
  .meta({ id: 'Subnet' });

export const network = z
  .strictObject({
    id,
    name: displayName,
    status: z
      .enum(['active', 'updating'])
      .meta({ description: '`updating` until the host has applied the latest change.' }),
    is_default: z.boolean().meta({ description: 'True for the network created with the project.' }),
    router_id: id,
    cidr,
    gateway_ip: ipv4,
    dhcp_enabled: z.boolean(),
    dns_servers: dnsServers,
    subnets: z.array(subnet),
    port_count: z.int().meta({ description: 'Addresses in use, excluding the gateway.' }),
    address_count: z.int().meta({ description: 'Addresses available to ports in total.' }),
    ...times,
  })
  .meta({ id: 'Network' });
export type Network = z.output<typeof network>;

export const updateNetwork = newName('UpdateNetwork');
export const createNetwork = z
  .strictObject({
    name: displayName,
    cidr: privateCidr,
    dhcp_enabled: z.boolean().default(true),
    gateway_ip: ipv4.optional().meta({ description: 'Defaults to the first address of the range.' }),
    dns_servers: dnsServers.default([]),
  })
  .refine(({ cidr: range, gateway_ip }) => gateway_ip === undefined || isUsable(range, gateway_ip), {
    path: ['gateway_ip'],
    error: 'must be an address inside the cidr other than the network and broadcast addresses',
  })
  .meta({ id: 'CreateNetwork', example: { name: 'backend', cidr: '10.20.0.0/24' } });
export type CreateNetwork = z.output<typeof createNetwork>;

function isUsable(range: string, address: string): boolean {
  const { first, last } = rangeOf(range);
  const number = toNumber(address);
  return first < number && number < last;
}

/** The gateway where none is given. */
export function firstAddress(range: string): string {
  return toAddress(rangeOf(range).first + 1);
}

export const router = z
  .strictObject({
    id,
    name: displayName,
    status: z.enum(['active', 'updating']),
    external_ip: ipv4
      .nullable()
      .meta({ description: 'Source address of its networks’ outbound traffic; null until first used.' }),
    interfaces: z.array(z.strictObject({ network_id: id, network_name: displayName, cidr, ip: ipv4 })),
    ...times,
  })
  .meta({ id: 'Router' });
export type Router = z.output<typeof router>;

export const port = z
  .strictObject({
    id,
    network_id: id,
    network_name: displayName,
    instance_id: id.nullable(),
    instance_name: displayName
      .nullable()
      .meta({ description: 'The instance that has this port; null for another kind of device.' }),
    attached_to: z.strictObject({ kind: z.string().meta({ example: 'load_balancer_node' }), name: displayName }).meta({
      description:
        'The device that has this port: its kind, and the name of the instance or the port’s own on its network.',
    }),
    status: z.enum(['active', 'down']).meta({ description: '`active` while its instance is running.' }),
    mac,
    ip: ipv4,
    security_group_ids: z.array(id),
    floating_ip: ipv4.nullable(),
    ...times,
  })
  .meta({ id: 'Port' });
export type Port = z.output<typeof port>;

/** The security groups that a port carries, all of them. */
const portSecurityGroups = z
  .array(reference)
  .max(10)
  .refine((ids) => new Set(ids).size === ids.length, 'must not contain a group twice');

export const changePort = z
  .strictObject({ security_group_ids: portSecurityGroups })
  .meta({ id: 'ChangePort', example: { security_group_ids: [] } });

const ruleFields = {
  direction: z.enum(['ingress', 'egress']),
  protocol: z.enum(['tcp', 'udp', 'icmp', 'any']),
  port_range_min: z.int().min(1).max(65_535),
  port_range_max: z.int().min(1).max(65_535),
  cidr: cidr.meta({
    description: 'Sources of ingress or destinations of egress. `0.0.0.0/0` is any address.',
  }),
};

export const securityGroupRule = z
  .strictObject({
    id,
    security_group_id: id,
    ...ruleFields,
    port_range_min: ruleFields.port_range_min.nullable(),
    port_range_max: ruleFields.port_range_max.nullable(),
    ...times,
  })
  .meta({ id: 'SecurityGroupRule' });
export type SecurityGroupRule = z.output<typeof securityGroupRule>;

export const createSecurityGroupRule = z
  .strictObject({
    ...ruleFields,
    port_range_min: ruleFields.port_range_min
      .optional()
      .meta({ description: 'For tcp and udp. Defaults to all ports, unless port_range_max is given.' }),
    port_range_max: ruleFields.port_range_max.optional().meta({ description: 'Defaults to port_range_min.' }),
  })
  .refine(({ protocol, port_range_min, port_range_max }) => hasPorts(protocol) || !(port_range_min ?? port_range_max), {
    path: ['port_range_min'],
    error: 'only tcp and udp have ports; omit port_range_min and port_range_max',
  })
  .refine(({ port_range_min, port_range_max }) => port_range_min !== undefined || port_range_max === undefined, {
    path: ['port_range_min'],
    error: 'is required with port_range_max',
  })
  .refine(({ port_range_min = 1, port_range_max = 65_535 }) => port_range_min <= port_range_max, {
    path: ['port_range_max'],
    error: 'must not be below port_range_min',
  })
  .meta({
    id: 'CreateSecurityGroupRule',
    example: { direction: 'ingress', protocol: 'tcp', port_range_min: 443, port_range_max: 443, cidr: '0.0.0.0/0' },
  });
export type CreateSecurityGroupRule = z.output<typeof createSecurityGroupRule>;

const hasPorts = (protocol: string) => protocol === 'tcp' || protocol === 'udp';

const groupDescription = z.string().max(500);

export const securityGroup = z
  .strictObject({
    id,
    name: displayName,
    description: groupDescription,
    is_default: z.boolean().meta({ description: 'True for the group that instances get if none is specified.' }),
    rules: z.array(securityGroupRule),
    port_count: z.int().meta({ description: 'Number of ports that the group is applied to.' }),
    ...times,
  })
  .meta({ id: 'SecurityGroup' });
export type SecurityGroup = z.output<typeof securityGroup>;

export const createSecurityGroup = z
  .strictObject({ name: displayName, description: groupDescription.default('') })
  .meta({ id: 'CreateSecurityGroup', example: { name: 'web', description: 'HTTP and HTTPS from anywhere' } });
export type CreateSecurityGroup = z.output<typeof createSecurityGroup>;

export const floatingIp = z
  .strictObject({
    id,
    address: ipv4,
    status: z.enum(['available', 'associated']),
    port_id: id.nullable(),
    instance_id: id.nullable(),
    instance_name: displayName.nullable(),
    fixed_ip: ipv4.nullable().meta({ description: 'The private address that it is associated with.' }),
    forwards: z.array(z.strictObject({ protocol: z.enum(['tcp', 'udp']), port: z.int(), host_port: z.int() })).meta({
      description: 'Ports that are reached on the host under a different number; empty if none differ.',
    }),
    ...times,
  })
  .meta({ id: 'FloatingIp' });
export type FloatingIp = z.output<typeof floatingIp>;

export const allocateFloatingIp = z.strictObject({}).meta({ id: 'AllocateFloatingIp', example: {} });

export const associateFloatingIp = z
  .strictObject({
    port_id: reference.optional(),
    instance_id: reference.optional(),
    load_balancer_id: reference.optional(),
  })
  .refine((body) => Object.values(body).filter((value) => value !== undefined).length === 1, {
    path: ['port_id'],
    error: 'give exactly one of port_id, instance_id and load_balancer_id',
  })
  .meta({
    id: 'AssociateFloatingIp',
    description: 'Exactly one of the three; `instance_id` selects the first port of the instance.',
    example: { instance_id: '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f' },
  });
export type AssociateFloatingIp = z.output<typeof associateFloatingIp>;

export const disassociateFloatingIp = z.strictObject({}).meta({ id: 'DisassociateFloatingIp', example: {} });

const nameFilters = {
  name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
  search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
};
export const networkQuery = sortedQuery({ ...nameFilters, tag: tagFilter }, ['name']);
export const routerQuery = listQuery({ ...nameFilters, tag: tagFilter });
export const securityGroupQuery = sortedQuery({ ...nameFilters, tag: tagFilter }, ['name']);
export const portQuery = listQuery({
  search: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Matches any part of the address, the MAC or the instance’s name.' }),
  status: z.enum(['active', 'down']).optional(),
  network_id: id.optional(),
  instance_id: id.optional(),
  security_group_id: id.optional(),
  tag: tagFilter,
});
export const floatingIpQuery = listQuery({
  search: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'Matches any part of the address or of the instance’s name.' }),
  status: z.enum(['available', 'associated']).optional(),
  instance_id: id.optional(),
  tag: tagFilter,
});
