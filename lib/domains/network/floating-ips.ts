import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict, noSuch, notFound } from '@/lib/core/api/errors';
import { contains, equalsId, listOf, ofProject, oneOf } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { databaseError, query, queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { leftJoinInstance } from '@/lib/domains/compute/fragments';
import { leftJoinBalancer } from '@/lib/domains/loadbalancing/fragments';
import { place } from '@/lib/hosts/engine-reports/placement';
import { type AddressSpace, withFreeAddress } from './free-address';
import { toNumber } from './ipv4';
import { ensureProjectNetworking } from './project-networking';
import { type AssociateFloatingIp, type FloatingIp, floatingIpQuery } from './schema';
import { reviseRouter } from './service';

/** So many a project may hold, because the pool of a host is small. */
const MOST_FLOATING_IPS = 50;

type Row = Omit<FloatingIp, 'status' | 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const columns = raw(`f.id, host(f.address) AS address, f.port_id, i.id AS instance_id,
  i.name AS instance_name, host(p.ip) AS fixed_ip, f.forwards, f.created_at, f.updated_at`);
const tables = sql`floating_ips f LEFT JOIN ports p ON p.id = f.port_id ${leftJoinInstance('p.device_id')}`;

function view(row: Row): FloatingIp {
  return {
    ...row,
    status: row.port_id === null ? 'available' : 'associated',
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The project's floating IPs. */
export const listFloatingIps = listOf({
  query: floatingIpQuery,
  columns,
  from: tables,
  id: 'f.id',
  where: ofProject('f'),
  filters: {
    search: contains('host(f.address)', 'i.name'),
    status: oneOf({ available: 'f.port_id IS NULL', associated: 'f.port_id IS NOT NULL' }),
    instance_id: equalsId('i.id'),
    tag: hasTags('f'),
  },
  view,
});

async function readRow(call: ProjectCall, id: string): Promise<Row> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM ${tables} WHERE f.project_id = ${call.project_id}::uuid AND f.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The floating IP');
  return row;
}

/**
 * Takes an address of the pool for the project.
 * @throws ApiError 409 when the project holds too many, 503 when the pool is empty or no host is there
 */
export async function allocateFloatingIp(call: ProjectCall): Promise<FloatingIp> {
  await ensureProjectNetworking(call.project_id);
  const { cell_id, refusal } = await place(call.project_id, ['network']);
  if (cell_id === null || refusal) throw refusal ?? new Error('a placement without a host');
  for (const range of await rangesFor(call, cell_id)) {
    const created = await withFreeAddress(range, (address) => takeAddress(call, cell_id, address));
    if (created) return created;
  }
  throw new ApiError('CAPACITY_EXHAUSTED', 'No floating IPs are left in the pool; release one first.');
}

/** @throws ApiError 409 when the project holds as many as it may */
async function rangesFor(call: ProjectCall, cellId: string): Promise<AddressSpace[]> {
  const counted = await queryOne<{ held: number }>(
    sql`SELECT count(*)::int AS held FROM floating_ips WHERE project_id = ${call.project_id}::uuid`,
  );
  if (counted && counted.held >= MOST_FLOATING_IPS) {
    throw conflict(`The project has reached its limit of ${counted.held} floating IPs; release one first.`);
  }
  const ranges = await query<{ first: string; last: string }>(sql`
    SELECT host(first) AS first, host(last) AS last FROM floating_ip_ranges r WHERE cell_id = ${cellId}::text ORDER BY r.first`);
  return ranges.map(({ first, last }) => ({
    id: `${cellId} ${first}`,
    first: toNumber(first),
    last: toNumber(last),
    taken: sql`SELECT address AS ip FROM floating_ips
      WHERE cell_id = ${cellId}::text AND address BETWEEN ${first}::inet AND ${last}::inet`,
  }));
}

/** undefined: someone else has just taken the address. */
async function takeAddress(call: ProjectCall, cellId: string, address: string): Promise<FloatingIp | undefined> {
  const row = { id: newId(), address, port_id: null, forwards: [], created_at: call.at, updated_at: call.at };
  const created = view({ ...row, instance_id: null, instance_name: null, fixed_ip: null });
  try {
    await commit(call, {
      resource: { type: 'floating_ip', id: row.id, name: address },
      target: routerInCell(cellId, address),
      forbidden: (cell) =>
        cell === cellId
          ? `Address ${address} has just been withdrawn from the pool. Try again.`
          : 'The project has just been assigned another host. Try again.',
      rows: {
        floating_ip: insert<Prisma.FloatingIpUncheckedCreateInput>(
          'floating_ips',
          { project_id: call.project_id, cell_id: cellId, ...row },
          ifAdmitted,
        ),
        settled: settleRouter(call.project_id, cellId),
      },
      answer: { status: 201, body: created },
    });
    return created;
  } catch (error) {
    if (databaseError(error)?.constraint === 'floating_ips_cell_id_address_key') return undefined;
    throw error;
  }
}

/** The project's router, locked, for a `target`: it must be in this cell or in none yet, and the cell must have the address. */
function routerInCell(cellId: string, address: string): Sql {
  return sql`SELECT router.cell_id = ${cellId}::text AND range.count > 0 AS allowed, router.cell_id AS state
    FROM (SELECT coalesce(r.cell_id, ${cellId}::text) AS cell_id FROM k JOIN routers r ON r.project_id = k.project_id FOR UPDATE OF r) AS router
    CROSS JOIN LATERAL (SELECT count(*) FROM (
      SELECT FROM floating_ip_ranges a WHERE a.cell_id = router.cell_id AND ${address}::inet BETWEEN a.first AND a.last FOR SHARE
    ) AS held) AS range`;
}

/** The first thing of a project that needs a host fixes where its router lives. */
export function settleRouter(projectId: string, cellId: string): Sql {
  return sql`UPDATE routers SET cell_id = ${cellId}::text, revision = routers.revision + 1 FROM verdict
    WHERE verdict.ok AND routers.project_id = ${projectId}::uuid`;
}

/**
 * Binds the address to a port.
 * @throws ApiError 404, 409 when the address or the port is bound already
 */
export async function associateFloatingIp(
  call: ProjectCall,
  id: string,
  input: AssociateFloatingIp,
): Promise<FloatingIp> {
  const row = await readRow(call, id);
  const port = await findPort(call, input);
  const changed = view({
    ...row,
    port_id: port.id,
    instance_id: port.instance_id,
    instance_name: port.instance_name,
    fixed_ip: port.ip,
    forwards: [],
    updated_at: call.at,
  });
  await commit(call, {
    resource: { type: 'floating_ip', id, name: row.address },
    target: sql`SELECT f.port_id IS NULL AS allowed, 'associated' AS state FROM k JOIN floating_ips f
      ON f.project_id = k.project_id AND f.id = ${id}::uuid FOR UPDATE OF f`,
    forbidden: () => `Floating IP ${row.address} is already associated; disassociate it first.`,
    taken: {
      when: sql`EXISTS (SELECT FROM floating_ips f WHERE f.port_id = ${port.id}::uuid)`,
      message: `Port ${port.id} already has a floating IP; disassociate it first.`,
    },
    rows: {
      bound: sql`UPDATE floating_ips SET port_id = ${port.id}::uuid, updated_at = ${call.at}::timestamptz FROM verdict
        WHERE verdict.ok AND floating_ips.id = ${id}::uuid`,
      revised: reviseRouter(call.project_id),
    },
    details: { port_id: port.id, instance_id: port.instance_id, fixed_ip: port.ip },
    answer: { status: 200, body: changed },
  });
  return changed;
}

type PortFacts = { id: string; instance_id: string | null; instance_name: string | null; ip: string };

async function findPort(call: ProjectCall, input: AssociateFloatingIp): Promise<PortFacts> {
  const [field, value] = Object.entries(input).find(([, given]) => given !== undefined) ?? ['port_id', ''];
  const what = field.replace(/_id$/, '').replaceAll('_', ' ');
  const column = { port_id: 'p.id', instance_id: 'i.id', load_balancer_id: 'l.id' }[field] ?? 'p.id';
  if (!isId(value)) throw noSuch(field, what);
  const port = await queryOne<PortFacts>(sql`
    SELECT p.id, i.id AS instance_id, i.name AS instance_name, host(p.ip) AS ip
    FROM ports p ${leftJoinInstance('p.device_id')} ${leftJoinBalancer('p.device_id')}
    WHERE p.project_id = ${call.project_id}::uuid AND ${raw(column)} = ${value}::uuid ORDER BY p.id LIMIT 1`);
  if (!port) throw noSuch(field, what);
  return port;
}

/** Unbinds the address from its port. @throws ApiError 404, 409 when it is bound to none */
export async function disassociateFloatingIp(call: ProjectCall, id: string): Promise<FloatingIp> {
  const row = await readRow(call, id);
  const unbound = {
    port_id: null,
    instance_id: null,
    instance_name: null,
    fixed_ip: null,
    forwards: [],
    updated_at: call.at,
  };
  const changed = view({ ...row, ...unbound });
  await commit(call, {
    resource: { type: 'floating_ip', id, name: row.address },
    target: sql`SELECT f.port_id IS NOT NULL AS allowed, 'available' AS state FROM k JOIN floating_ips f
      ON f.project_id = k.project_id AND f.id = ${id}::uuid FOR UPDATE OF f`,
    forbidden: () => `Floating IP ${row.address} is not associated.`,
    rows: {
      unbound: sql`UPDATE floating_ips SET port_id = NULL, forwards = '[]', updated_at = ${call.at}::timestamptz FROM verdict
        WHERE verdict.ok AND floating_ips.id = ${id}::uuid`,
      revised: reviseRouter(call.project_id),
    },
    details: { port_id: row.port_id, instance_id: row.instance_id, fixed_ip: row.fixed_ip },
    answer: { status: 200, body: changed },
  });
  return changed;
}

/** Gives the address back to the pool. @throws ApiError 404, 409 while it is associated */
export async function releaseFloatingIp(call: ProjectCall, id: string): Promise<void> {
  const { address } = await readRow(call, id);
  await commit(call, {
    resource: { type: 'floating_ip', id, name: address },
    target: sql`SELECT f.port_id IS NULL AS allowed, 'associated' AS state FROM k JOIN floating_ips f
      ON f.project_id = k.project_id AND f.id = ${id}::uuid FOR UPDATE OF f`,
    forbidden: () => `Floating IP ${address} is associated; disassociate it first.`,
    rows: { gone: sql`DELETE FROM floating_ips USING verdict WHERE verdict.ok AND floating_ips.id = ${id}::uuid` },
  });
}
