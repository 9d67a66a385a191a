import { raw, sql } from '@/lib/core/db/sql';
import { floatingIpOf, joinPorts } from '@/lib/domains/network/fragments';
import type { Listener, LoadBalancer, Pool } from './schema';

type Stored<Item> = Omit<Item, 'created_at' | 'updated_at'> & { created_at: Date | string; updated_at: Date | string };

const timesOf = ({ created_at, updated_at }: { created_at: Date | string; updated_at: Date | string }) => ({
  created_at: new Date(created_at).toISOString(),
  updated_at: new Date(updated_at).toISOString(),
});

export type ListenerRow = Stored<Listener>;
const listenerText = `l.id, l.load_balancer_id, l.name, l.protocol, l.port, l.certificate_ids, l.redirect_to_https,
  ARRAY(SELECT text(c.cidr) FROM unnest(l.allowed_cidrs) AS c (cidr)) AS allowed_cidrs, p.id AS pool_id,
  l.current_connections, l.requests_total::float8 AS requests_total, l.created_at, l.updated_at`;
export const listenerColumns = raw(listenerText);
export const listenerTables = 'load_balancer_listeners l JOIN load_balancer_pools p ON p.listener_id = l.id';
export const viewListener = (row: ListenerRow): Listener => ({ ...row, ...timesOf(row) });

export type BalancerRow = Stored<Omit<LoadBalancer, 'listeners'>> & { cell_id: string; listeners: ListenerRow[] };
export const balancerColumns = sql`b.id, b.name, b.network_id, host(vip.ip) AS vip_address, vip.id AS vip_port_id,
  ${floatingIpOf('vip')} AS floating_ip, b.status AS provisioning_status,
  b.operating_status, b.status_reason, b.idle_timeout_s, b.cell_id, b.created_at, b.updated_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('role', CASE WHEN n.ordinal = b.active_ordinal THEN 'active' ELSE 'stand_by' END,
    'status', n.status) ORDER BY n.ordinal), '[]') FROM load_balancer_nodes n WHERE n.load_balancer_id = b.id) AS nodes,
  (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY one.port), '[]') FROM (SELECT ${listenerColumns} FROM ${raw(listenerTables)}
    WHERE l.load_balancer_id = b.id) AS one) AS listeners`;
export const balancerTables = sql`load_balancers b ${joinPorts('b', 'vip')} AND vip.attachment = 'none'`;
export const viewBalancer = ({ cell_id: _, listeners, ...row }: BalancerRow): LoadBalancer => ({
  ...row,
  listeners: listeners.map(viewListener),
  ...timesOf(row),
});

type MemberRow = Omit<Pool['members'][number], 'last_change_at'> & { last_change_at: Date | string };
export type PoolRow = Stored<Omit<Pool, 'members'>> & { members: MemberRow[] };
export const poolColumns = raw(`p.id, l.load_balancer_id, p.listener_id, p.name, p.algorithm, p.sticky, p.health_check,
  p.created_at, p.updated_at, (SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'instance_id', m.instance_id,
    'address', host(m.address), 'port', m.port, 'weight', m.weight, 'backup', m.backup, 'status', m.status,
    'status_reason', m.status_reason, 'last_change_at', m.last_change_at) ORDER BY m.slot), '[]')
    FROM load_balancer_members m WHERE m.pool_id = p.id) AS members`);
export const viewPool = ({ members, ...row }: PoolRow): Pool => ({
  ...row,
  members: members.map((member) => ({ ...member, last_change_at: new Date(member.last_change_at).toISOString() })),
  ...timesOf(row),
});
