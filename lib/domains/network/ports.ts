import { randomBytes } from 'node:crypto';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { noSuch, notFound } from '@/lib/core/api/errors';
import { contains, equalsId, listOf, ofProject, oneOf } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId } from '@/lib/core/db/id';
import { query, queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { leftJoinInstance } from '@/lib/domains/compute/fragments';
import type { Port as EnginePort, SecurityRule } from './engine';
import { floatingIpOf, groupsOf } from './fragments';
import type { AddressSpace } from './free-address';
import { rangeOf } from './ipv4';
import { type Port, portQuery } from './schema';
import { portStatuses, statusOfPort } from './search';
import { reviseRouter } from './service';

type Attachment = EnginePort['attachment'];
type Row = Omit<Port, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const columns = sql`p.id, p.network_id, n.name AS network_name, i.id AS instance_id, i.name AS instance_name,
  jsonb_build_object('kind', d.kind, 'name', coalesce(i.name, p.hostname)) AS attached_to, p.mac,
  host(p.ip) AS ip, p.created_at, p.updated_at, ${raw(statusOfPort)} AS status,
  ${groupsOf()} AS security_group_ids,
  ${floatingIpOf()} AS floating_ip`;
const tables = sql`ports p JOIN networks n ON n.id = p.network_id
  JOIN devices d ON d.project_id = p.project_id AND d.id = p.device_id ${leftJoinInstance('p.device_id')}`;

function view(row: Row): Port {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/** The project's virtual interfaces. */
export const listPorts = listOf({
  query: portQuery,
  columns,
  from: tables,
  id: 'p.id',
  where: ofProject('p'),
  filters: {
    search: contains('host(p.ip)', 'p.mac', 'i.name', 'p.hostname'),
    status: oneOf(portStatuses),
    network_id: equalsId('p.network_id'),
    instance_id: equalsId('i.id'),
    security_group_id: (id) =>
      sql`EXISTS (SELECT FROM port_security_groups c WHERE c.port_id = p.id AND c.security_group_id = ${id}::uuid)`,
    tag: hasTags('p'),
  },
  view,
});

/** One virtual interface. @throws ApiError 404 */
export async function readPort(call: ProjectCall, id: string): Promise<Port> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM ${tables} WHERE p.project_id = ${call.project_id}::uuid AND p.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The port');
  return view(row);
}

/**
 * Makes the port carry exactly these security groups, in force at once.
 * @throws ApiError 404 for the port or one of the groups
 */
export async function changePort(call: ProjectCall, id: string, groupIds: string[]): Promise<Port> {
  const port = await readPort(call, id);
  await requireGroups(call, groupIds);
  const changed = { ...port, security_group_ids: groupIds.toSorted(), updated_at: call.at.toISOString() };
  await commit(call, {
    resource: { type: 'port', id, name: port.ip },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN ports p
      ON p.project_id = k.project_id AND p.id = ${id}::uuid FOR UPDATE OF p`,
    rows: {
      ...carryOnly(call.project_id, id, groupIds),
      changed: sql`UPDATE ports SET updated_at = ${call.at}::timestamptz FROM verdict WHERE verdict.ok AND ports.id = ${id}::uuid`,
      revised: reviseRouter(call.project_id),
    },
    details: { security_group_ids: groupIds },
  });
  return changed;
}

/** A port of a device, of whatever kind. */
export type NewPort = Prisma.PortUncheckedCreateInput & { attachment: Attachment; own_rules?: SecurityRule[] };

/** Replaces the rules that a port has while it carries no security groups. */
export const ownRulesChange = (portId: string, rules: readonly SecurityRule[]): Sql => sql`
  UPDATE ports SET own_rules = ${JSON.stringify(rules)}::jsonb FROM verdict WHERE verdict.ok AND ports.id = ${portId}::uuid`;

/** A random unicast address of local administration (IEEE 802). */
export function newMac(): string {
  return [2, ...randomBytes(5)].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** A new port, as a statement of the write that makes its device. */
export const portInsert = (port: NewPort): Sql => insert<NewPort>('ports', port, ifAdmitted);

/** Removes the ports and names of a device, and the floating IPs from its ports, with the write that lets the device go. */
export function portsReleased(deviceId: string, projectId: string | null): Record<string, Sql> {
  return {
    unbound: sql`UPDATE floating_ips SET port_id = NULL, forwards = '[]', updated_at = platform_now()
      FROM verdict, ports p WHERE verdict.ok AND p.device_id = ${deviceId}::uuid AND floating_ips.port_id = p.id`,
    names: sql`DELETE FROM network_names USING verdict WHERE verdict.ok AND network_names.device_id = ${deviceId}::uuid`,
    ports: sql`DELETE FROM ports USING verdict WHERE verdict.ok AND ports.device_id = ${deviceId}::uuid`,
    ...(projectId ? { revised: reviseRouter(projectId) } : {}),
  };
}

/** The security groups of a port. */
export function carryGroups(projectId: string, portId: string, groupIds: readonly string[]): Sql {
  return sql`INSERT INTO port_security_groups (port_id, security_group_id, project_id)
    SELECT ${portId}::uuid, carried.id, ${projectId}::uuid FROM unnest(${groupIds}::uuid[]) AS carried (id), ${ifAdmitted}`;
}

/** Gives a port exactly these security groups. */
export const carryOnly = (projectId: string, portId: string, groupIds: readonly string[]): Record<string, Sql> => ({
  dropped: sql`DELETE FROM port_security_groups c USING verdict WHERE verdict.ok AND c.port_id = ${portId}::uuid
    AND c.security_group_id <> ALL (${groupIds}::uuid[])`,
  taken_up: sql`${carryGroups(projectId, portId, groupIds)} ON CONFLICT DO NOTHING`,
});

/** @throws ApiError 404 that names the field when one of them is not a security group of the project */
export async function requireGroups(call: ProjectCall, groupIds: readonly string[]): Promise<void> {
  const known = await query<{ id: string }>(sql`
    SELECT id FROM security_groups WHERE project_id = ${call.project_id}::uuid AND id = ANY (${groupIds.filter(isId)}::uuid[])`);
  const missing = groupIds.findIndex((id) => !known.some((group) => group.id === id.toLowerCase()));
  if (missing !== -1) throw noSuch(`security_group_ids.${missing}`, 'security group');
}

/** The id of the project's default security group. */
export async function defaultGroup({ project_id }: ProjectCall): Promise<string> {
  const found = await queryOne<{ id: string }>(
    sql`SELECT id FROM security_groups WHERE project_id = ${project_id}::uuid AND is_default`,
  );
  if (!found) throw new Error(`project ${project_id} has no default security group`);
  return found.id;
}

/** The project's networks with their ranges, or the one with this id. */
export const addressedNetworks = ({ project_id }: ProjectCall, id: string | null = null) =>
  query<{ id: string; name: string; cidr: string; gateway_ip: string }>(sql`
    SELECT n.id, n.name, text(s.cidr) AS cidr, host(s.gateway_ip) AS gateway_ip FROM networks n JOIN subnets s ON s.network_id = n.id
    WHERE n.project_id = ${project_id}::uuid AND (${id}::uuid IS NULL OR n.id = ${id}::uuid) ORDER BY n.id`);

/** The addresses that ports of a network may have. */
export function addressSpace(networkId: string, cidr: string, gateway: string): AddressSpace {
  const { first, last } = rangeOf(cidr);
  const taken = sql`SELECT ip FROM ports WHERE network_id = ${networkId}::uuid`;
  return { id: networkId, first: first + 1, last: last - 1, gateway, taken };
}
