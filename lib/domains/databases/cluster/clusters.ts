import { query, queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { floatingIpOf, joinPorts, joinSubnet } from '@/lib/domains/network/fragments';
import type { DatabaseEngine } from '../engines';
import { switchPrimaryKind } from '../operations';
import type { Parameters } from '../parameters';
import type { MemberRole, MemberStatus } from '../schema';

/** A member as it should be, with its port. */
export type Member = {
  id: string;
  ordinal: number;
  group_no: number;
  version: string;
  role: MemberRole;
  status: MemberStatus;
  status_reason: string | null;
  incarnation: number;
  in_sync: boolean;
  leaving: boolean;
  lag_bytes: number | null;
  port_id: string;
  mac: string;
  ip: string;
};

/** A cluster with all that its processes follow from. */
export type Cluster = {
  id: string;
  engine: DatabaseEngine;
  project_id: string;
  cell_id: string;
  namespace: string;
  name: string;
  status: string;
  status_reason: string | null;
  /** A planned switch was ordered and is not done yet. */
  is_switching: boolean;
  vcpus: number;
  ram_gb: number;
  storage_gb: number;
  instances: number;
  running: number;
  used_bytes: number | null;
  parameters: Parameters;
  /** Empty where the engine has none. */
  username: string;
  database_name: string;
  sealed_secrets: Buffer;
  serving_group: number;
  moves: number;
  read_only: boolean;
  roles_wanted: number;
  roles_applied: number;
  launched_at: Date | null;
  /** Its primary recovers from a backup, to a moment or to the end of that. */
  recovery: { at: string | null } | null;
  network_id: string;
  cidr: string;
  prefix_length: number;
  gateway_ip: string;
  port_id: string;
  mac: string;
  address: string;
  floating_ip: string | null;
  members: Member[];
};

/** Clusters `c` with their members, as they should be. */
export const readClusters = (chosen: Sql): Promise<Cluster[]> =>
  query<Cluster>(sql`
    SELECT c.id, c.engine, c.project_id, c.cell_id, c.namespace, c.name, c.status, c.status_reason,
      c.status = 'failing_over' AND EXISTS (SELECT FROM operations o WHERE o.resource_id = c.id AND o.kind = ${switchPrimaryKind.kind}::text
        AND o.status IN ('pending', 'running')) AS is_switching, c.vcpus, c.ram_gb::float8 AS ram_gb, c.storage_gb, c.instances,
      c.running, c.used_bytes::float8 AS used_bytes, c.parameters, coalesce(c.username, '') AS username,
      coalesce(c.database_name, '') AS database_name, c.sealed_secrets, c.serving_group, c.moves, c.read_only,
      c.roles_wanted, c.roles_applied, c.launched_at, c.recovery, c.network_id, text(s.cidr) AS cidr, masklen(s.cidr) AS prefix_length,
      host(s.gateway_ip) AS gateway_ip, p.id AS port_id, p.mac, host(p.ip) AS address,
      ${floatingIpOf()} AS floating_ip,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'ordinal', m.ordinal, 'group_no', m.group_no, 'version', m.version, 'role', m.role,
          'status', m.status, 'status_reason', m.status_reason, 'incarnation', m.incarnation, 'in_sync', m.in_sync, 'leaving', m.leaving,
          'lag_bytes', m.lag_bytes, 'port_id', o.id, 'mac', o.mac, 'ip', host(o.ip)) ORDER BY m.ordinal), '[]')
        FROM database_members m ${joinPorts('m', 'o')} WHERE m.cluster_id = c.id) AS members
    FROM database_clusters c ${joinPorts('c')} ${joinSubnet('c')}
    WHERE ${chosen} ORDER BY c.id`);

export async function readCluster(id: string): Promise<Cluster | undefined> {
  const [found] = await readClusters(sql`c.id = ${id}::uuid`);
  return found;
}

/** The members that serve, or are about to. */
export const servingMembers = ({ members, serving_group }: Cluster): Member[] =>
  members.filter(({ group_no, leaving }) => group_no === serving_group && !leaving);

/** The members of the version that does not serve: an upgrade's, or those kept for its way back. */
export const membersBeside = ({ members, serving_group }: Cluster): Member[] =>
  members.filter(({ group_no, leaving }) => group_no !== serving_group && !leaving);

/** The members of one version, which serves or not. */
export const membersOf = ({ members }: Cluster, group: number): Member[] =>
  members.filter(({ group_no, leaving }) => group_no === group && !leaving);

export const primaryOf = (members: readonly Member[]): Member | undefined =>
  members.find(({ role }) => role === 'primary');

/** How a standby calls itself to its primary. */
export const standbyName = ({ ordinal }: Pick<Member, 'ordinal'>): string => `m${ordinal}`;

/** Whether who serves is still decided as it was when the cluster was read. */
export const isCurrent = async ({ id, moves }: Cluster): Promise<boolean> =>
  (await queryOne(sql`SELECT id FROM database_clusters WHERE id = ${id}::uuid AND moves = ${moves}::int`)) !==
  undefined;
