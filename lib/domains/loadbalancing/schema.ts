import { z } from 'zod';
import { listQuery, sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, reference, times, timestamp } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';
import { MOST_LISTENERS, MOST_MEMBERS } from './limits';

export const provisioningStatuses = ['pending_create', 'active', 'pending_update', 'pending_delete', 'error'] as const;
export type ProvisioningStatus = (typeof provisioningStatuses)[number];
const operatingStatuses = ['online', 'degraded', 'offline', 'no_monitor', 'error'] as const;
export type OperatingStatus = (typeof operatingStatuses)[number];
const memberStatuses = ['up', 'down', 'draining', 'no_check'] as const;
export type MemberStatus = (typeof memberStatuses)[number];
/** The reason of a member that has not been checked yet. */
export const NOT_CHECKED = 'Not checked yet.';
const nodeStatuses = ['starting', 'up', 'down'] as const;
export type NodeStatus = (typeof nodeStatuses)[number];

const DAY_S = 86_400;

const port = z.int().min(1).max(65_535);
const address = z.ipv4().meta({ description: 'An IPv4 address.', example: '10.0.0.5' });
const protocol = z.enum(['HTTP', 'HTTPS', 'TCP']);
const algorithm = z.enum(['round_robin', 'least_connections', 'source_ip']);
const statusReason = z.string().nullable().meta({ description: 'Why it has this status.' });
const weight = z
  .int()
  .min(0)
  .max(256)
  .meta({ description: 'Share of the traffic. 0 drains the member: no new connections.' });
const sticky = z.enum(['cookie', 'source_ip']).meta({ description: 'Sends a client to the same member again.' });

/** `200-399`, `200,204,301-308` */
const expectedStatus = z
  .string()
  .max(100)
  .regex(/^[1-5]\d\d(-[1-5]\d\d)?(,[1-5]\d\d(-[1-5]\d\d)?)*$/, 'must be status codes and ranges, such as 200-399')
  .meta({ example: '200-399' });

const checkPath = z
  .string()
  .max(500)
  .regex(/^\/[!-~]*$/, 'must start with / and have no spaces')
  .regex(/^[^"'\\#]*$/, 'must not contain quotes, # or backslashes')
  .meta({ example: '/' });
const seconds = (most: number) => z.int().min(1).max(most);
const retries = z.int().min(0).max(10).meta({ description: 'Failed checks in a row before the member is down.' });

export const healthCheck = z
  .strictObject({
    type: z.enum(['tcp', 'http']),
    path: checkPath,
    expected_status: expectedStatus,
    interval_s: seconds(300),
    timeout_s: seconds(60),
    retries,
  })
  .meta({ id: 'HealthCheck' });

const newHealthCheck = healthCheck
  .extend({
    path: checkPath.default('/'),
    expected_status: expectedStatus.default('200-399'),
    interval_s: seconds(300).default(5),
    timeout_s: seconds(60).default(3),
    retries: retries.default(2),
  })
  .meta({ id: 'NewHealthCheck' });

const newMember = z
  .strictObject({
    name: displayName.optional(),
    instance_id: reference.optional(),
    address: address.optional(),
    port,
    weight: weight.default(1),
    backup: z.boolean().default(false).meta({ description: 'Used only while all other members are down.' }),
  })
  .refine((body) => (body.instance_id === undefined) !== (body.address === undefined), {
    path: ['address'],
    error: 'give either instance_id or address',
  })
  .meta({ id: 'NewMember' });
export type NewMember = z.output<typeof newMember>;

const newPool = z
  .strictObject({
    name: displayName,
    algorithm: algorithm.default('round_robin'),
    members: z.array(newMember).max(MOST_MEMBERS).default([]),
    health_check: newHealthCheck.optional(),
    sticky: sticky.optional(),
  })
  .meta({ id: 'NewPool' });

const newListener = z
  .strictObject({
    name: displayName,
    protocol,
    port,
    certificate_id: reference.optional(),
    certificate_ids: z.array(reference).max(20).optional().meta({
      description: 'For HTTPS, chosen by host name (SNI); the first for all other names.',
    }),
    redirect_to_https: z.boolean().default(false),
    allowed_cidrs: z
      .array(z.cidrv4())
      .max(50)
      .default([])
      .meta({ description: 'Clients that may connect. Empty: all.' }),
    pool: newPool,
  })
  .refine(({ protocol, redirect_to_https }) => protocol === 'HTTP' || !redirect_to_https, {
    path: ['redirect_to_https'],
    error: 'requires protocol HTTP',
  })
  .refine(({ protocol, pool }) => protocol !== 'TCP' || pool.sticky !== 'cookie', {
    path: ['pool', 'sticky'],
    error: 'cookie requires protocol HTTP or HTTPS',
  })
  .refine((body) => body.protocol === 'HTTPS' || certificatesOf(body).length === 0, {
    path: ['certificate_ids'],
    error: 'requires protocol HTTPS',
  })
  .refine((body) => body.protocol !== 'HTTPS' || certificatesOf(body).length > 0, {
    path: ['certificate_ids'],
    error: 'protocol HTTPS requires a certificate',
  })
  .meta({ id: 'NewListener' });
export type NewListener = z.output<typeof newListener>;

/** The certificates that a listener names, in either field. */
export function certificatesOf(body: {
  certificate_id?: string | undefined;
  certificate_ids?: string[] | undefined;
}): string[] {
  const named = [...(body.certificate_id === undefined ? [] : [body.certificate_id]), ...(body.certificate_ids ?? [])];
  return [...new Set(named.map((id) => id.toLowerCase()))];
}

const hasTwice = <T>(values: readonly T[]) => new Set(values).size < values.length;

const wanted = {
  listeners: z
    .array(newListener)
    .min(1)
    .max(MOST_LISTENERS)
    .refine((listeners) => !hasTwice(listeners.map((listener) => listener.port)), 'two listeners have the same port'),
  idle_timeout_s: z.int().min(1).max(DAY_S).default(60).meta({ description: 'Closes connections without traffic.' }),
};

/** Also a label of host names (RFC 1123). */
const hostLabel = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{1,61}[a-z0-9])$/, 'must be 3 to 63 lowercase letters, digits and dashes')
  .meta({ description: '3 to 63 lowercase letters, digits and dashes; unique in the project.' });

const exampleListener = {
  name: 'web',
  protocol: 'HTTP',
  port: 80,
  pool: {
    name: 'web',
    algorithm: 'round_robin',
    members: [{ address: '10.0.0.200', port: 8080, weight: 1 }],
    health_check: { type: 'http', path: '/' },
  },
} as const;

export const createLoadBalancer = z
  .strictObject({
    name: hostLabel,
    network_id: reference.optional().meta({ description: 'Required if the project has several networks.' }),
    security_group_ids: z.array(reference).max(10).optional().meta({
      description: 'Of the VIP’s port. If absent, the ports of the listeners are open to all.',
    }),
    ...wanted,
  })
  .meta({ id: 'CreateLoadBalancer', example: { name: 'shop', listeners: [exampleListener] } });
export type CreateLoadBalancer = z.output<typeof createLoadBalancer>;

export const replaceLoadBalancer = z
  .strictObject({ name: hostLabel.optional(), ...wanted })
  .meta({ id: 'ReplaceLoadBalancer', example: { listeners: [exampleListener], idle_timeout_s: 60 } });
export type ReplaceLoadBalancer = z.output<typeof replaceLoadBalancer>;

const member = z
  .strictObject({
    id,
    name: displayName,
    instance_id: id.nullable(),
    address,
    port,
    weight,
    backup: z.boolean(),
    status: z.enum(memberStatuses),
    status_reason: statusReason,
    last_change_at: timestamp,
  })
  .meta({ id: 'PoolMember' });

export const pool = z
  .strictObject({
    id,
    load_balancer_id: id,
    listener_id: id,
    name: displayName,
    algorithm,
    sticky: sticky.nullable(),
    health_check: healthCheck.nullable(),
    members: z.array(member),
    ...times,
  })
  .meta({ id: 'Pool' });
export type Pool = z.output<typeof pool>;

export const listener = z
  .strictObject({
    id,
    load_balancer_id: id,
    name: displayName,
    protocol,
    port,
    certificate_ids: z.array(id),
    redirect_to_https: z.boolean(),
    allowed_cidrs: z.array(z.string()),
    pool_id: id,
    current_connections: z.int(),
    requests_total: z.int(),
    ...times,
  })
  .meta({ id: 'Listener' });
export type Listener = z.output<typeof listener>;

const node = z
  .strictObject({
    role: z.enum(['active', 'stand_by']).meta({ description: 'The active node answers at the virtual IP.' }),
    status: z.enum(nodeStatuses).meta({ description: '`down`: it does not respond, or has lost its link.' }),
  })
  .meta({ id: 'LoadBalancerNode' });

export const loadBalancer = z
  .strictObject({
    id,
    name: z.string(),
    network_id: id,
    vip_address: address,
    vip_port_id: id.meta({ description: 'Takes security groups and a floating IP.' }),
    floating_ip: address.nullable(),
    provisioning_status: z.enum(provisioningStatuses),
    operating_status: z.enum(operatingStatuses).meta({
      description:
        '`degraded`: a member or the stand-by node is down. `offline`: no member serves. `no_monitor`: no pool has a health check.',
    }),
    status_reason: statusReason,
    idle_timeout_s: z.int(),
    nodes: z.array(node).meta({ description: 'Two HAProxy nodes; none once they are deleted.' }),
    listeners: z.array(listener),
    ...times,
  })
  .meta({ id: 'LoadBalancer' });
export type LoadBalancer = z.output<typeof loadBalancer>;

const nameFilters = {
  name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
  search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
};
export const loadBalancerQuery = sortedQuery(
  {
    ...nameFilters,
    provisioning_status: z.enum(provisioningStatuses).optional(),
    network_id: id.optional(),
    tag: tagFilter,
  },
  ['name'],
);
export const listenerQuery = listQuery({ load_balancer_id: id.optional() });
export const poolQuery = listQuery({ load_balancer_id: id.optional(), listener_id: id.optional() });
