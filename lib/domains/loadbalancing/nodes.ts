import { join } from 'node:path';
import { query } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { ADMIN_SOCKET, backendName, type MemberFacts, serverName } from './configuration';
import { ask, parseStats, type Stat } from './runtime-api';
import type { MemberStatus } from './schema';

export type Node = { id: string; ordinal: number };
export type PoolFacts = {
  listener_id: string;
  port: number;
  protocol: 'HTTP' | 'HTTPS' | 'TCP';
  slots: number;
  members: (MemberFacts & { id: string; name: string; status: MemberStatus; status_reason: string | null })[];
};
export type Balancer = {
  id: string;
  project_id: string;
  name: string;
  cell_id: string;
  status: string;
  active_ordinal: number;
  nodes: Node[];
  pools: PoolFacts[];
};

/** Load balancers `b` with their nodes and members, as they should be. */
export const readBalancers = (chosen: Sql): Promise<Balancer[]> =>
  query<Balancer>(sql`
    SELECT b.id, b.project_id, b.name, b.cell_id, b.status, b.active_ordinal,
      (SELECT jsonb_agg(jsonb_build_object('id', n.id, 'ordinal', n.ordinal) ORDER BY n.ordinal)
        FROM load_balancer_nodes n WHERE n.load_balancer_id = b.id) AS nodes,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('listener_id', l.id, 'port', l.port, 'protocol', l.protocol, 'slots', p.slots, 'members',
          (SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'name', m.name, 'status', m.status,
            'status_reason', m.status_reason, 'slot', m.slot, 'address', host(m.address), 'port', m.port,
            'weight', m.weight, 'backup', m.backup)), '[]') FROM load_balancer_members m WHERE m.pool_id = p.id))), '[]')
        FROM load_balancer_listeners l JOIN load_balancer_pools p ON p.listener_id = l.id WHERE l.load_balancer_id = b.id) AS pools
    FROM load_balancers b WHERE ${chosen} ORDER BY b.id`);

/** Asks a node for its statistics; undefined when it does not answer. */
export async function statsOf(cell: string, nodeId: string): Promise<Stat[] | undefined> {
  const answer = await ask(socketOf(cell, nodeId), ['show stat']);
  const stats = answer === undefined ? [] : parseStats(answer);
  return stats.length > 0 ? stats : undefined;
}

export const socketOf = (cell: string, nodeId: string) =>
  join(engineOf(cell).services.socketFolder(nodeId), ADMIN_SOCKET);

/**
 * Brings the members of a node to their desired state without a reload.
 * @returns whether the node has everything that the database says
 */
export async function settleMembers(cell: string, nodeId: string, pools: readonly PoolFacts[], stats: readonly Stat[]) {
  const servers = new Map(stats.map((stat) => [`${stat.pxname}/${stat.svname}`, stat]));
  const slots = pools.map((pool) =>
    Array.from({ length: pool.slots }, (_, index) => ({
      name: `${backendName(pool.listener_id)}/${serverName(index + 1)}`,
      member: pool.members.find(({ slot }) => slot === index + 1),
    })),
  );
  // A reload is under way: the process has another structure.
  if (slots.flat().some(({ name }) => !servers.has(name))) return false;
  const commands = slots.flatMap((pool) => {
    const changes = pool.map(({ name, member }) => changesOf(name, member, servers.get(name) ?? {}));
    const more = changes.flatMap((change) => change.more);
    // A pool gets its new members before it loses old ones: at no moment is it without any.
    return more.length > 0 ? more : changes.flatMap((change) => change.less);
  });
  if (commands.length > 0) await ask(socketOf(cell, nodeId), commands);
  return commands.length === 0;
}

/** Commands after which a member takes more traffic, or less. */
function changesOf(name: string, member: MemberFacts | undefined, { status = '', addr, weight }: Stat) {
  const isInMaintenance = status.startsWith('MAINT');
  if (!member) return { more: [], less: isInMaintenance ? [] : [`set server ${name} state maint`] };
  const isElsewhere = addr !== `${member.address}:${member.port}`;
  const shares = Number(weight) === member.weight ? [] : [`set weight ${name} ${member.weight}`];
  const isLess = member.weight < Number(weight);
  return {
    more: [
      ...(isElsewhere ? [`set server ${name} addr ${member.address} port ${member.port}`] : []),
      ...(isLess ? [] : shares),
      ...(isInMaintenance ? [`set server ${name} state ready`] : []),
    ],
    less: isLess ? shares : [],
  };
}
