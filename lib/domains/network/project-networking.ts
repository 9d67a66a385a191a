import { now } from '@/lib/clock';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { insert, join, raw, type Sql, sql } from '@/lib/core/db/sql';

const DEFAULT_SUBNET = { cidr: '10.0.0.0/24', gateway_ip: '10.0.0.1', dhcp_enabled: true, dns_servers: [] };

/** What a new group lets through before anyone adds a rule. */
export const egressToAnywhere = {
  direction: 'egress' as const,
  protocol: 'any' as const,
  port_range_min: null,
  port_range_max: null,
  cidr: '0.0.0.0/0',
};

/**
 * What every project begins with: a router, a default network, and a default security group that lets everything out
 * and nothing in. Statements by name, for the statement that makes the project; `from` decides whether they come to be.
 */
export function defaultNetworkRows(projectId: string, at: Date, from: Sql): Record<string, Sql> {
  const routerId = newId();
  return { router: routerInsert(routerId, projectId, at, from), ...behindRouter(routerId, projectId, at, from) };
}

function routerInsert(id: string, project_id: string, at: Date, from?: Sql): Sql {
  const row: Prisma.RouterUncheckedCreateInput = {
    id,
    project_id,
    name: 'default',
    revision: 1,
    applied_revision: 0,
    created_at: at,
    updated_at: at,
  };
  return insert('routers', row, from);
}

function behindRouter(router_id: string, project_id: string, at: Date, from: Sql): Record<string, Sql> {
  const common = { project_id, created_at: at, updated_at: at };
  const group: Prisma.SecurityGroupUncheckedCreateInput = {
    id: newId(),
    name: 'default',
    description: 'Allows all outbound and no inbound traffic.',
    is_default: true,
    ...common,
  };
  return {
    ...networkRows(
      { id: newId(), router_id, name: 'default', is_default: true, ...common },
      { id: newId(), ...DEFAULT_SUBNET },
      from,
    ),
    security_group: insert('security_groups', group, from),
    security_group_rule: ruleInsert({ id: newId(), security_group_id: group.id, ...egressToAnywhere, ...common }, from),
  };
}

type NetworkRow = Prisma.NetworkUncheckedCreateInput;
type SubnetFacts = { id: string; cidr: string; gateway_ip: string; dhcp_enabled: boolean; dns_servers: string[] };

/** A network and its subnet. */
export function networkRows(network: NetworkRow, facts: SubnetFacts, from: Sql): Record<string, Sql> {
  const { id: network_id, project_id, router_id, created_at, updated_at } = network;
  const subnet = { project_id, network_id, router_id, ...facts, created_at, updated_at };
  return { network: insert('networks', network, from), subnet: insert('subnets', subnet, from) };
}

/** One rule of a security group. */
export function ruleInsert(rule: Prisma.SecurityGroupRuleUncheckedCreateInput, from: Sql): Sql {
  return insert('security_group_rules', rule, from);
}

declare global {
  /** Projects that this process knows to have their networking; they keep it for good. */
  var nepheleNetworkedProjects: Set<string> | undefined;
}

/** Gives the project its router, default network and group, once: what it deleted of them does not come back. */
export async function ensureProjectNetworking(projectId: string): Promise<void> {
  globalThis.nepheleNetworkedProjects ??= new Set();
  if (globalThis.nepheleNetworkedProjects.has(projectId)) return;
  const routerId = newId();
  const at = now();
  const parts = Object.entries(behindRouter(routerId, projectId, at, raw('made'))).map(
    ([name, piece]) => sql`${raw(name)} AS (${piece})`,
  );
  await execute(sql`
    WITH made AS (${routerInsert(routerId, projectId, at)} ON CONFLICT (project_id) DO NOTHING RETURNING 1),
      ${join(parts, ', ')} SELECT`);
  globalThis.nepheleNetworkedProjects.add(projectId);
}

/** The same for all projects: those from before networks came among them. */
export async function ensureAllNetworking(): Promise<void> {
  const without = await query<{ id: string }>(
    sql`SELECT id FROM projects p WHERE NOT EXISTS (SELECT FROM routers r WHERE r.project_id = p.id)`,
  );
  for (const { id } of without) await ensureProjectNetworking(id);
}
