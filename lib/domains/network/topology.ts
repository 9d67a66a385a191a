import { signalChange } from '@/lib/core/db/changes';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engines } from '@/lib/engines/engines';
import { detailOf } from '@/lib/engines/error';
import { ownCell } from '@/lib/settings';
import type { FloatingIpForward, Router } from './engine';

type RouterRow = Router & { revision: number };

/** What should be on a host: the routers that have ports behind them, as of one moment. */
export async function readRouters(cellId: string): Promise<RouterRow[]> {
  return query<RouterRow>(sql`
    SELECT r.id, r.revision, networks.list AS networks, groups.list AS "securityGroups", addresses.list AS "floatingIps"
    FROM routers r CROSS JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('id', n.id, 'cidr', text(s.cidr), 'gatewayIp', host(s.gateway_ip),
        'dhcpEnabled', s.dhcp_enabled, 'dnsServers', s.dns_servers, 'names', '[]'::jsonb, 'ports', ports.list) ORDER BY n.id) AS list
      FROM networks n JOIN subnets s ON s.network_id = n.id CROSS JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('id', p.id, 'mac', p.mac, 'ip', host(p.ip), 'holderId', p.device_id,
          'attachment', CASE WHEN i.id IS NULL THEN 'none' ELSE 'tap' END, 'sharedAddresses', '[]'::jsonb,
          'hostname', coalesce(i.hostname, 'port-' || right(p.id::text, 12)),
          'securityGroupIds', ARRAY(SELECT c.security_group_id FROM port_security_groups c WHERE c.port_id = p.id ORDER BY 1)
        ) ORDER BY p.id) AS list
        FROM ports p LEFT JOIN instances i ON i.id = p.device_id WHERE p.network_id = n.id
      ) AS ports WHERE n.router_id = r.id AND ports.list IS NOT NULL
    ) AS networks CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'rules', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('direction', u.direction, 'protocol', u.protocol,
          'portRangeMin', u.port_range_min, 'portRangeMax', u.port_range_max, 'cidr', text(u.cidr)) ORDER BY u.id), '[]')
        FROM security_group_rules u WHERE u.security_group_id = g.id)) ORDER BY g.id), '[]') AS list
      FROM security_groups g WHERE g.project_id = r.project_id
        AND EXISTS (SELECT FROM port_security_groups c WHERE c.security_group_id = g.id)
    ) AS groups CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'address', host(f.address), 'portId', f.port_id)
        ORDER BY f.id), '[]') AS list
      FROM floating_ips f WHERE f.project_id = r.project_id AND f.cell_id = r.cell_id AND f.port_id IS NOT NULL
    ) AS addresses WHERE r.cell_id = ${cellId}::text AND networks.list IS NOT NULL ORDER BY r.id`);
}

/** Whether this process has applied it at all: before, what the database remembers as applied may be gone. */
let applied = false;
let running: Promise<void> | undefined;
let next: Promise<void> | undefined;

/**
 * Makes this host's networking what the database says. Settles when a run that began after the call has ended; calls
 * that come during a run share the next one.
 */
export function applyTopology(): Promise<void> {
  if (!running) {
    running = applyNow().finally(() => {
      running = undefined;
    });
    return running;
  }
  next ??= running
    .catch(() => {})
    .then(() => {
      next = undefined;
      return applyTopology();
    });
  return next;
}

let troubles: string[] = [];
/** After a failure nobody is in a hurry. */
const CALM_MS = 10_000;
let failedAt = Number.NEGATIVE_INFINITY;

/** What could not be done as asked when the networking was last applied, for a person to read. */
export function networkTroubles(): readonly string[] {
  return troubles;
}

async function applyNow(): Promise<void> {
  try {
    troubles = await applyAll();
    applied = true;
  } catch (error) {
    troubles = [detailOf(error)];
    failedAt = performance.now();
    throw error;
  }
}

async function applyAll(): Promise<string[]> {
  const cellId = ownCell();
  // Of routers without ports too: what has just gone from behind them is gone once this run ends.
  const revisions = await query<{ id: string; revision: number }>(
    sql`SELECT id, revision FROM routers WHERE cell_id = ${cellId}::text AND applied_revision <> revision`,
  );
  const routers = await readRouters(cellId);
  const { network } = engines();
  await network.ensureTopology({ routers: routers.map(({ revision: _, ...router }) => router) });
  const observed = await network.observeNetwork();
  const seen = new Map(revisions.map(({ id, revision }) => [id, revision]));
  // The second look came later, so that it saw at least what the first one saw.
  for (const { id, revision } of routers) seen.set(id, revision);
  await noteApplied([...seen], observed.routers);
  await noteForwards(cellId, observed.forwards);
  return observed.warnings;
}

async function noteApplied(
  revisions: readonly [string, number][],
  routers: readonly { id: string; externalIp: string }[],
): Promise<void> {
  // The address first: whoever follows the hint below reads both.
  await execute(sql`
    UPDATE routers SET external_ip = seen.address FROM unnest(${routers.map(({ id }) => id)}::uuid[],
      ${routers.map(({ externalIp }) => externalIp)}::inet[]) AS seen (id, address)
    WHERE routers.id = seen.id AND routers.external_ip IS DISTINCT FROM seen.address`);
  const changed = await execute(sql`
    WITH applied AS (
      UPDATE routers SET applied_revision = seen.revision FROM unnest(${revisions.map(([id]) => id)}::uuid[],
        ${revisions.map(([, revision]) => revision)}::int[]) AS seen (id, revision)
      WHERE routers.id = seen.id AND routers.applied_revision <> seen.revision RETURNING project_id
    )
    INSERT INTO changes (project_id, topic, at) SELECT DISTINCT project_id, 'network', platform_now() FROM applied`);
  if (changed > 0) signalChange();
}

/** Where callers on the host reach a port of a floating IP, when that is not the same port. */
async function noteForwards(cellId: string, forwards: readonly FloatingIpForward[]): Promise<void> {
  const byAddress = new Map<string, object[]>();
  for (const { floatingIp, protocol, port, hostPort } of forwards) {
    byAddress.set(floatingIp, [...(byAddress.get(floatingIp) ?? []), { protocol, port, host_port: hostPort }]);
  }
  const rows = [...byAddress].map(([address, list]) => ({ address, list }));
  const changed = await execute(sql`
    WITH wanted AS (
      SELECT f.id, f.project_id, coalesce(w.list, '[]') AS list FROM floating_ips f
      LEFT JOIN jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS w (address inet, list jsonb) ON w.address = f.address
      WHERE f.cell_id = ${cellId}::text
    ), noted AS (
      UPDATE floating_ips SET forwards = wanted.list FROM wanted
      WHERE floating_ips.id = wanted.id AND floating_ips.forwards <> wanted.list RETURNING wanted.project_id, wanted.id
    )
    INSERT INTO changes (project_id, topic, resource_id, at)
    SELECT project_id, 'floating_ip', id::text, platform_now() FROM noted`);
  if (changed > 0) signalChange();
}

/** Waits until what is behind the project's router now is in force on this host. */
export async function ensureWired(projectId: string): Promise<void> {
  const behind = await queryOne(
    sql`SELECT FROM routers WHERE project_id = ${projectId}::uuid AND applied_revision <> revision`,
  );
  if (behind || !applied) await applyTopology();
}

/** Applies what is new behind any router of this host. */
export async function applyChanges(): Promise<void> {
  if (performance.now() - failedAt < CALM_MS) return;
  const dirty = await queryOne(
    sql`SELECT FROM routers WHERE cell_id = ${ownCell()}::text AND applied_revision <> revision LIMIT 1`,
  );
  if (dirty) await applyTopology();
}

/** Takes all networking off this host; what should be there stays in the database. */
export async function removeTopology(): Promise<void> {
  await engines().network.ensureTopology({ routers: [] });
  await execute(sql`UPDATE routers SET applied_revision = 0 WHERE cell_id = ${ownCell()}::text`);
}
