import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict } from '@/lib/core/api/errors';
import { newId } from '@/lib/core/db/id';
import { databaseError, queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { type PlannedNetwork, requireNetwork } from '@/lib/domains/loadbalancing/plan';
import type { SecurityRule } from '@/lib/domains/network/engine';
import { settleRouter } from '@/lib/domains/network/floating-ips';
import { wiredPorts } from '@/lib/domains/network/fragments';
import { withFreeAddress } from '@/lib/domains/network/free-address';
import {
  addressSpace,
  carryGroups,
  carryOnly,
  newMac,
  portInsert,
  portsReleased,
  requireGroups,
} from '@/lib/domains/network/ports';
import { reviseRouter } from '@/lib/domains/network/service';
import { ensureWired } from '@/lib/domains/network/topology';
import { EngineError } from '@/lib/engines/error';
import type { ServicePort } from '@/lib/hosts/services/engine';

/** The port that a version of a function needs. */
export type PlannedPort = { network: PlannedNetwork; groupIds: string[] };

/** A function calls others and answers nobody at its port: without security groups it may do just that. */
const outward: SecurityRule[] = [
  { direction: 'egress', protocol: 'any', portRangeMin: null, portRangeMax: null, cidr: '0.0.0.0/0' },
];

/** @throws ApiError 404 for the network or a group, 400 that lists the networks */
export async function planPort(
  call: ProjectCall,
  wanted: { network_id: string | undefined; security_group_ids: readonly string[] },
): Promise<PlannedPort> {
  const network = await requireNetwork(call, wanted.network_id);
  await requireGroups(call, wanted.security_group_ids);
  return { network, groupIds: [...new Set(wanted.security_group_ids.map((id) => id.toLowerCase()))] };
}

type Owner = { id: string; name: string; cell_id: string };

/**
 * Writes a function with the port that it needs, and without the one that it has and does not need.
 * @param write makes the function's change with these rows
 * @throws ApiError 409 where the network has no free address
 */
export async function withPort(
  call: ProjectCall,
  owner: Owner,
  planned: PlannedPort | null,
  write: (rows: Record<string, Sql>) => Promise<unknown>,
): Promise<unknown> {
  const present = await queryOne<{ id: string; network_id: string }>(
    sql`SELECT p.id, p.network_id FROM ${wiredPorts} WHERE p.project_id = ${call.project_id}::uuid AND p.device_id = ${owner.id}::uuid`,
  );
  if (!planned) return write(present ? portsReleased(owner.id, call.project_id) : {});
  if (present?.network_id === planned.network.id) {
    return write({
      ...carryOnly(call.project_id, present.id, planned.groupIds),
      revised: reviseRouter(call.project_id),
    });
  }
  const { id, cidr, gateway_ip } = planned.network;
  const written = await withFreeAddress(addressSpace(id, cidr, gateway_ip), async (ip) => {
    try {
      await write({ ...(present ? portsReleased(owner.id, null) : {}), ...newPort(call, owner, planned, ip) });
      return true;
    } catch (error) {
      const { constraint } = databaseError(error) ?? {};
      if (constraint === 'ports_network_id_ip_key' || constraint === 'ports_network_id_mac_key') return undefined;
      throw error;
    }
  });
  if (!written) throw conflict('network_id: the network has no free address for a function.');
}

function newPort(call: ProjectCall, { id: device_id, name, cell_id }: Owner, planned: PlannedPort, ip: string) {
  const { project_id, at } = call;
  const port = {
    id: newId(),
    project_id,
    network_id: planned.network.id,
    device_id,
    mac: newMac(),
    ip,
    attachment: 'veth' as const,
    hostname: `fn-${name}`.slice(0, 63).replace(/-+$/, ''),
    own_rules: outward,
    created_at: at,
    updated_at: at,
  };
  return {
    port: portInsert(port),
    carried: carryGroups(project_id, port.id, planned.groupIds),
    settled: settleRouter(project_id, cell_id),
  };
}

/**
 * The port of a function whose network this host has by then.
 * @throws EngineError `NOT_FOUND` where a newer version has given it up
 */
export async function wiredPort(
  cell: string,
  { project_id, function_id, network_id }: { project_id: string; function_id: string; network_id: string | null },
): Promise<ServicePort> {
  await ensureWired(cell, project_id);
  const port = await queryOne<Omit<ServicePort, 'sharedAddresses'>>(sql`
    SELECT p.id, p.network_id AS "networkId", p.mac, host(p.ip) AS ip, masklen(s.cidr) AS "prefixLength",
      host(s.gateway_ip) AS "gatewayIp", s.dns_servers AS "dnsServers"
    FROM ${wiredPorts}
    WHERE p.project_id = ${project_id}::uuid AND p.device_id = ${function_id}::uuid AND p.network_id = ${network_id}::uuid`);
  if (!port) throw new EngineError('NOT_FOUND', 'The function has no port on the network of this version any more.');
  return { ...port, sharedAddresses: [] };
}
