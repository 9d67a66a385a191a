import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { detailOf, EngineError } from '@/lib/engines/error';
import { log } from '@/lib/log';
import type { FloatingIpForward, Router } from './engine';

type RouterRow = Router & { revision: number };

/** Ports whose own rules are in force. To engines they are a security group with the port's id. */
const portsWithOwnRules = raw(`SELECT o.id, o.project_id, o.own_rules FROM ports o WHERE o.own_rules <> '[]'
  AND NOT EXISTS (SELECT FROM port_security_groups c WHERE c.port_id = o.id)`);

/** A router of a cell as it should be, read at one moment: its networks that have ports, with their rules and addresses. */
export async function readRouter(cell: string, id: string): Promise<RouterRow | undefined> {
  return queryOne<RouterRow>(sql`
    SELECT r.id, r.revision, coalesce(networks.list, '[]') AS networks, groups.list AS "securityGroups", addresses.list AS "floatingIps"
    FROM routers r CROSS JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('id', n.id, 'cidr', text(s.cidr), 'gatewayIp', host(s.gateway_ip),
        'dhcpEnabled', s.dhcp_enabled, 'dnsServers', s.dns_servers, 'names', names.list, 'ports', ports.list) ORDER BY n.id) AS list
      FROM networks n JOIN subnets s ON s.network_id = n.id CROSS JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('id', p.id, 'mac', p.mac, 'ip', host(p.ip), 'holderId', p.device_id,
          'attachment', p.attachment, 'hostname', p.hostname, 'sharedAddresses', ARRAY(
            SELECT host(o.ip) FROM ports o WHERE o.network_id = n.id AND o.attachment = 'none' AND o.ip = ANY (p.shared_addresses)
            ORDER BY 1),
          'securityGroupIds', ARRAY(SELECT c.security_group_id FROM port_security_groups c WHERE c.port_id = p.id
            UNION ALL SELECT own.id FROM (${portsWithOwnRules}) AS own WHERE own.id = p.id ORDER BY 1)
        ) ORDER BY p.id) AS list
        FROM ports p WHERE p.network_id = n.id
      ) AS ports CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_agg(jsonb_build_object('name', m.name, 'address', host(a.address)) ORDER BY m.name, a.address), '[]') AS list
        FROM network_names m CROSS JOIN unnest(m.addresses) AS a (address) WHERE m.network_id = n.id
      ) AS names WHERE n.router_id = r.id AND ports.list IS NOT NULL
    ) AS networks CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'rules', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('direction', u.direction, 'protocol', u.protocol,
          'portRangeMin', u.port_range_min, 'portRangeMax', u.port_range_max, 'cidr', text(u.cidr)) ORDER BY u.id), '[]')
        FROM security_group_rules u WHERE u.security_group_id = g.id)) ORDER BY g.id), '[]') AS list
      FROM security_groups g WHERE g.project_id = r.project_id
        AND EXISTS (SELECT FROM port_security_groups c WHERE c.security_group_id = g.id)
    ) AS shared CROSS JOIN LATERAL (
      SELECT shared.list || coalesce(jsonb_agg(jsonb_build_object('id', own.id, 'rules', own.own_rules) ORDER BY own.id), '[]') AS list
      FROM (${portsWithOwnRules}) AS own WHERE own.project_id = r.project_id
    ) AS groups CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'address', host(f.address), 'portId', f.port_id)
        ORDER BY f.id), '[]') AS list
      FROM floating_ips f WHERE f.project_id = r.project_id AND f.cell_id = r.cell_id AND f.port_id IS NOT NULL
    ) AS addresses WHERE r.id = ${id}::uuid AND r.cell_id = ${cell}::text`);
}

/** Runs of one router: the one that is under way, and the one that begins when it has ended. */
type Runs = { running: Promise<void>; next?: Promise<void> };
const runs = new Map<string, Runs>();

/**
 * Makes one router of a cell what the database says. Settles when a run that began after the call has ended; calls that
 * come during a run share the next one.
 */
export function applyRouter(cell: string, id: string): Promise<void> {
  const current = runs.get(id);
  if (current) {
    current.next ??= current.running.catch(() => {}).then(() => applyRouter(cell, id));
    return current.next;
  }
  const running = applyNow(cell, id).finally(() => runs.delete(id));
  runs.set(id, { running });
  return running;
}

/** Routers that this process has applied: of others, what the database remembers as applied may be gone. */
const applied = new Set<string>();
/** Those of them that have networks, with their cells. */
const wired = new Map<string, string>();

/** Routers of a cell that this process has applied, and that have networks. */
export const wiredRouters = (cell: string): ReadonlySet<string> =>
  new Set([...wired].flatMap(([id, of]) => (of === cell ? [id] : [])));

/** What could not be done as asked, by cell and router; under `HOST`, what concerns no single router. */
const troubles = new Map<string, Map<string, { messages: readonly string[]; failedAt: number }>>();
const HOST = 'host';
/** After a failure, changes of a router wait this long. */
const CALM_MS = 10_000;

/** What could not be done as asked when the networking was last applied, for a person to read. */
export function networkTroubles(cell: string): readonly string[] {
  return [...troublesOf(cell).values()].flatMap(({ messages }) => messages);
}

function troublesOf(cell: string) {
  const found = troubles.get(cell) ?? new Map<string, { messages: readonly string[]; failedAt: number }>();
  troubles.set(cell, found);
  return found;
}

async function noting(cell: string, what: string, work: () => Promise<readonly string[]>): Promise<void> {
  try {
    troublesOf(cell).set(what, { messages: await work(), failedAt: Number.NEGATIVE_INFINITY });
  } catch (error) {
    troublesOf(cell).set(what, { messages: [detailOf(error)], failedAt: performance.now() });
    throw error;
  }
}

const applyNow = (cell: string, id: string) => noting(cell, id, () => applyOne(cell, id));

async function applyOne(cell: string, id: string): Promise<readonly string[]> {
  const row = await readRouter(cell, id);
  if (!row) return [];
  const { revision, ...router } = row;
  const { network } = engineOf(cell);
  const state = router.networks.length > 0 ? await network.ensureRouter(router) : null;
  // The row is there and says that nothing is behind it.
  if (state === null) await network.removeRouter(id);
  if (state === null) wired.delete(id);
  else wired.set(id, cell);
  await noteApplied(id, revision, state?.externalIp ?? null);
  await noteForwards(id, state?.forwards ?? []);
  applied.add(id);
  return state?.warnings ?? [];
}

/** One router's trouble is not the others': each gets its turn, and then the first failure is thrown. */
async function applyEach(cell: string, routers: readonly { id: string }[]): Promise<void> {
  const failures: unknown[] = [];
  for (const { id } of routers) await applyRouter(cell, id).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Makes all networking of a cell what the database says, and removes routers that have no row there. */
export async function applyRouters(cell: string): Promise<void> {
  let routers: { id: string }[] = [];
  await noting(cell, HOST, async () => {
    const seen = (await engineOf(cell).network.observeRouters()).map(({ id }) => id);
    routers = await query<{ id: string }>(sql`
      SELECT r.id FROM routers r WHERE r.cell_id = ${cell}::text AND (
        r.applied_revision <> r.revision OR r.id = ANY(${seen}::uuid[]) OR EXISTS (
          SELECT FROM networks n JOIN ports p ON p.network_id = n.id WHERE n.router_id = r.id)) ORDER BY r.id`);
    await removeStrays(cell, seen);
    return [];
  });
  const present = new Set([HOST, ...routers.map(({ id }) => id)]);
  const known = troublesOf(cell);
  for (const id of known.keys()) if (!present.has(id)) known.delete(id);
  await applyEach(cell, routers);
}

/**
 * Removes routers that the cell's engine has and its rows do not name. The database lists them, and only for a cell that
 * it knows: an empty answer removes nothing.
 */
async function removeStrays(cell: string, seen: readonly string[]): Promise<void> {
  const strays = await query<{ id: string }>(sql`
    SELECT seen.id FROM cells c CROSS JOIN unnest(${seen}::uuid[]) AS seen (id)
    WHERE c.id = ${cell}::text
      AND NOT EXISTS (SELECT FROM routers r WHERE r.id = seen.id AND r.cell_id = c.id)`);
  for (const { id } of strays) {
    log.warn({ router: id }, 'a router without a row is removed');
    wired.delete(id);
    await engineOf(cell).network.removeRouter(id);
  }
}

async function noteApplied(id: string, revision: number, externalIp: string | null): Promise<void> {
  const changed = await execute(sql`
    WITH applied AS (
      UPDATE routers SET external_ip = coalesce(${externalIp}::inet, external_ip), applied_revision = ${revision}::int
      WHERE id = ${id}::uuid AND (applied_revision <> ${revision}::int
        OR external_ip IS DISTINCT FROM coalesce(${externalIp}::inet, external_ip)) RETURNING project_id
    )
    ${hintInsert({ project_id: raw('project_id'), topic: 'network' }, raw('applied'))}`);
  if (changed > 0) signalChange();
}

/** Where callers on the host reach a port of a floating IP, when that is not the same port. */
async function noteForwards(routerId: string, forwards: readonly FloatingIpForward[]): Promise<void> {
  const byAddress = new Map<string, object[]>();
  for (const { floatingIp, protocol, port, hostPort } of forwards) {
    byAddress.set(floatingIp, [...(byAddress.get(floatingIp) ?? []), { protocol, port, host_port: hostPort }]);
  }
  const rows = [...byAddress].map(([address, list]) => ({ address, list }));
  const changed = await execute(sql`
    WITH wanted AS (
      SELECT f.id, f.project_id, coalesce(w.list, '[]') AS list
      FROM routers r JOIN floating_ips f ON f.project_id = r.project_id AND f.cell_id = r.cell_id
      LEFT JOIN jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS w (address inet, list jsonb) ON w.address = f.address
      WHERE r.id = ${routerId}::uuid
    ), noted AS (
      UPDATE floating_ips SET forwards = wanted.list FROM wanted
      WHERE floating_ips.id = wanted.id AND floating_ips.forwards <> wanted.list RETURNING wanted.project_id, wanted.id
    )
    ${hintInsert({ project_id: raw('project_id'), topic: 'floating_ip', resource_id: raw('id::text') }, raw('noted'))}`);
  if (changed > 0) signalChange();
}

/** Waits until the project's router in this cell is up to date. */
export async function ensureWired(cell: string, projectId: string): Promise<void> {
  const router = await queryOne<{ id: string; behind: boolean }>(
    sql`SELECT id, applied_revision <> revision AS behind FROM routers WHERE project_id = ${projectId}::uuid`,
  );
  if (router && (router.behind || !applied.has(router.id))) await applyRouter(cell, router.id);
}

/** Applies what is new behind any router of a cell. */
export async function applyChanges(cell: string): Promise<void> {
  const behind = await query<{ id: string }>(
    sql`SELECT id FROM routers WHERE cell_id = ${cell}::text AND applied_revision <> revision`,
  );
  const isCalm = ({ id }: { id: string }) =>
    performance.now() - (troublesOf(cell).get(id)?.failedAt ?? Number.NEGATIVE_INFINITY) >= CALM_MS;
  await applyEach(cell, behind.filter(isCalm));
}

/** What `removeRouters` does; without the programs that make networks there are none. */
export async function removeRoutersWherePossible(cell: string): Promise<void> {
  await removeRouters(cell).catch((error) => {
    if (!(error instanceof EngineError && error.code === 'ENGINE_UNAVAILABLE')) throw error;
  });
}

/** Removes all networking from a cell, router by router; its rows stay. */
export async function removeRouters(cell: string): Promise<void> {
  const { network } = engineOf(cell);
  const failures: unknown[] = [];
  for (const { id } of await network.observeRouters()) {
    await network.removeRouter(id).catch((error) => failures.push(error));
    applied.delete(id);
    wired.delete(id);
  }
  await execute(sql`UPDATE routers SET applied_revision = 0 WHERE cell_id = ${cell}::text`);
  if (failures.length > 0) throw failures[0];
}
