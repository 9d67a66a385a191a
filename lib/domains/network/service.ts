import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import { newId } from '@/lib/core/db/id';
import { databaseError, queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { renameResource } from '@/lib/core/resources/rename';
import { hasTags } from '@/lib/core/tags/filter';
import { rangeOf } from './ipv4';
import { addressCount } from './private-range';
import { ensureProjectNetworking, networkRows } from './project-networking';
import { type CreateNetwork, firstAddress, type Network, networkQuery, type Router, routerQuery } from './schema';
import { statusOfRouter } from './search';

/** So many a project may have: a bound on what one tenant can make a host carry. */
const MOST_NETWORKS = 50;

type Row = Omit<Network, 'created_at' | 'updated_at' | 'address_count' | 'subnets'> & {
  subnet_id: string;
  created_at: Date;
  updated_at: Date;
};

const columns = raw(`n.id, n.name, n.is_default, n.router_id, n.created_at, n.updated_at, s.id AS subnet_id,
  text(s.cidr) AS cidr, host(s.gateway_ip) AS gateway_ip, s.dhcp_enabled, s.dns_servers,
  (SELECT ${statusOfRouter('r')} FROM routers r WHERE r.id = n.router_id) AS status,
  (SELECT count(*)::int FROM ports p WHERE p.network_id = n.id) AS port_count`);
const tables = raw('networks n JOIN subnets s ON s.network_id = n.id');

function view({ subnet_id, ...row }: Row): Network {
  const { cidr, gateway_ip, dhcp_enabled, dns_servers } = row;
  return {
    ...row,
    subnets: [{ id: subnet_id, cidr, gateway_ip, dhcp_enabled, dns_servers }],
    address_count: addressCount(rangeOf(cidr)),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const networkList = listOf({
  query: networkQuery,
  columns,
  from: tables,
  id: 'n.id',
  where: ofProject('n'),
  filters: { name: equals('n.name'), search: contains('n.name'), tag: hasTags('n') },
  sort: { name: 'n.name' },
  view,
});

/** The project's networks. */
export const listNetworks: typeof networkList = async (call, query) => {
  await ensureProjectNetworking(call.project_id);
  return networkList(call, query);
};

/** One network. @throws ApiError 404 */
export async function readNetwork(call: ProjectCall, id: string): Promise<Network> {
  await ensureProjectNetworking(call.project_id);
  return view(await readRow(call, id));
}

async function readRow(call: ProjectCall, id: string): Promise<Row> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM ${tables} WHERE n.project_id = ${call.project_id}::uuid AND n.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The network');
  return row;
}

/**
 * Makes a private network behind the project's router.
 * @throws ApiError 409 when its range overlaps another one of the project
 */
export async function createNetwork(call: ProjectCall, input: CreateNetwork): Promise<Network> {
  await ensureProjectNetworking(call.project_id);
  const router = await routerOf(call, input.cidr);
  if (router.network_count >= MOST_NETWORKS) {
    throw conflict(`The project has reached its limit of ${MOST_NETWORKS} networks; delete one first.`);
  }
  if (router.overlapping)
    throw overlap(input.cidr, `${router.overlapping.cidr} of network "${router.overlapping.name}"`);
  const facts = {
    id: newId(),
    cidr: input.cidr,
    gateway_ip: input.gateway_ip ?? firstAddress(input.cidr),
    dhcp_enabled: input.dhcp_enabled,
    dns_servers: input.dns_servers,
  };
  const times = { created_at: call.at, updated_at: call.at };
  const row = { id: newId(), name: input.name, is_default: false, router_id: router.id, ...times };
  const rows = networkRows({ project_id: call.project_id, ...row }, facts, ifAdmitted);
  const { id: subnet_id, ...range } = facts;
  const created = view({
    ...row,
    ...range,
    subnet_id,
    status: router.cell_id === null ? 'active' : 'updating',
    port_count: 0,
  });
  try {
    await commit(call, {
      resource: { type: 'network', id: row.id, name: row.name },
      rows: { ...rows, revised: reviseRouter(call.project_id) },
      details: { cidr: input.cidr },
      answer: { status: 201, body: created },
    });
  } catch (error) {
    if (databaseError(error)?.constraint === 'subnets_no_overlap')
      throw overlap(input.cidr, 'another network of the project');
    throw error;
  }
  return created;
}

const overlap = (cidr: string, other: string) => conflict(`cidr: ${cidr} overlaps ${other}; choose another range.`);

/** A change behind the project's router, which its host's worker then puts in force. */
export function reviseRouter(projectId: string, from: Sql = ifAdmitted): Sql {
  return sql`UPDATE routers SET revision = routers.revision + 1 FROM (SELECT FROM ${from}) AS revising
    WHERE routers.project_id = ${projectId}::uuid`;
}

type RouterFacts = {
  id: string;
  cell_id: string | null;
  network_count: number;
  overlapping: { cidr: string; name: string } | null;
};

async function routerOf(call: ProjectCall, cidr: string): Promise<RouterFacts> {
  const found = await queryOne<RouterFacts>(sql`
    SELECT r.id, r.cell_id, (SELECT count(*)::int FROM networks n WHERE n.router_id = r.id) AS network_count,
      (SELECT jsonb_build_object('cidr', text(s.cidr), 'name', n.name) FROM subnets s JOIN networks n ON n.id = s.network_id
       WHERE s.router_id = r.id AND s.cidr && ${cidr}::inet LIMIT 1) AS overlapping
    FROM routers r WHERE r.project_id = ${call.project_id}::uuid`);
  if (!found) throw notFound('The router');
  return found;
}

/** Renames a network. @throws ApiError 404 */
export async function renameNetwork(call: ProjectCall, id: string, name: string): Promise<Network> {
  const row = await readRow(call, id);
  const renamed = await renameResource(call, 'networks', { type: 'network', id }, name);
  return view({ ...row, ...renamed });
}

/** Deletes a network that nothing is on. @throws ApiError 404, 409 while it has ports */
export async function deleteNetwork(call: ProjectCall, id: string): Promise<void> {
  const { name } = await readNetwork(call, id);
  await commit(call, {
    resource: { type: 'network', id, name },
    target: sql`SELECT ports.count = 0 AS allowed, ports.count AS state
      FROM k JOIN networks n ON n.project_id = k.project_id AND n.id = ${id}::uuid
      CROSS JOIN LATERAL (SELECT count(*)::int FROM ports p WHERE p.network_id = n.id) AS ports FOR UPDATE OF n`,
    forbidden: (ports) =>
      `Network ${name} has ${ports} ${ports === '1' ? 'port' : 'ports'}: delete the instances on it first.`,
    in_use: `Network ${name} has just been given a port: delete the instances on it first.`,
    rows: {
      gone: sql`DELETE FROM networks USING verdict WHERE verdict.ok AND networks.id = ${id}::uuid`,
      revised: reviseRouter(call.project_id),
    },
  });
}

type RouterRow = Omit<Router, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const routerColumns =
  raw(`r.id, r.name, ${statusOfRouter('r')} AS status, host(r.external_ip) AS external_ip, r.created_at,
  r.updated_at, (SELECT coalesce(jsonb_agg(jsonb_build_object('network_id', n.id, 'network_name', n.name,
     'cidr', text(s.cidr), 'ip', host(s.gateway_ip)) ORDER BY n.id), '[]')
   FROM networks n JOIN subnets s ON s.network_id = n.id WHERE n.router_id = r.id) AS interfaces`);

function routerView(row: RouterRow): Router {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

const routerList = listOf({
  query: routerQuery,
  columns: routerColumns,
  from: raw('routers r'),
  id: 'r.id',
  where: ofProject('r'),
  filters: { name: equals('r.name'), search: contains('r.name'), tag: hasTags('r') },
  view: routerView,
});

/** The project's routers with their gateway interfaces. */
export const listRouters: typeof routerList = async (call, query) => {
  await ensureProjectNetworking(call.project_id);
  return routerList(call, query);
};

/** One router. @throws ApiError 404 */
export async function readRouter(call: ProjectCall, id: string): Promise<Router> {
  await ensureProjectNetworking(call.project_id);
  const row = await queryOne<RouterRow>(
    sql`SELECT ${routerColumns} FROM routers r WHERE r.project_id = ${call.project_id}::uuid AND r.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The router');
  return routerView(row);
}
