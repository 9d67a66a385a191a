import type { Estimate, ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, notFound } from '@/lib/core/api/errors';
import { contains, equals, equalsId, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { databaseError, query, queryOne, queryRow } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { deviceInsert } from '@/lib/core/devices/device';
import { type Cap, capReached } from '@/lib/core/quota/caps';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { certificateUseRows } from '@/lib/domains/certificates/uses';
import type { SecurityRule } from '@/lib/domains/network/engine';
import { settleRouter } from '@/lib/domains/network/floating-ips';
import { routerInCell } from '@/lib/domains/network/fragments';
import { freeAddresses } from '@/lib/domains/network/free-address';
import {
  addressSpace,
  carryGroups,
  newMac,
  ownRulesChange,
  portInsert,
  requireGroups,
} from '@/lib/domains/network/ports';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { reviseRouter } from '@/lib/domains/network/service';
import { place } from '@/lib/hosts/engine-reports/placement';
import { settings } from '@/lib/settings';
import { balancerFacts, structureOf, withCertificatesOf } from './configuration';
import { createLoadBalancerKind, deleteLoadBalancerKind, replaceLoadBalancerKind } from './operations';
import {
  certificatesIn,
  factsOf,
  noRoom,
  type PlannedListener,
  type PresentListener,
  planListeners,
  requireNetwork,
} from './plan';
import {
  type CreateLoadBalancer,
  type LoadBalancer,
  listenerQuery,
  loadBalancerQuery,
  NOT_CHECKED,
  poolQuery,
  type ReplaceLoadBalancer,
} from './schema';
import {
  type BalancerRow,
  balancerColumns,
  balancerTables,
  listenerColumns,
  listenerTables,
  poolColumns,
  viewBalancer,
  viewListener,
  viewPool,
} from './view';

/** Memory of each node. */
export const NODE_MEMORY_MB = 96;
/** Attempts to find free addresses while others take them at the same time. */
const MOST_ATTEMPTS = 10;

export const listLoadBalancers = listOf({
  query: loadBalancerQuery,
  columns: balancerColumns,
  from: balancerTables,
  id: 'b.id',
  where: ofProject('b'),
  filters: {
    name: equals('b.name'),
    search: contains('b.name'),
    provisioning_status: equals('b.status'),
    network_id: equalsId('b.network_id'),
    tag: hasTags('b'),
  },
  sort: { name: 'b.name' },
  view: viewBalancer,
});

export const listListeners = listOf({
  query: listenerQuery,
  columns: listenerColumns,
  from: raw(listenerTables),
  id: 'l.id',
  where: ofProject('l'),
  filters: { load_balancer_id: equalsId('l.load_balancer_id') },
  view: viewListener,
});

export const listPools = listOf({
  query: poolQuery,
  columns: poolColumns,
  from: raw(listenerTables),
  id: 'p.id',
  where: ofProject('p'),
  filters: { load_balancer_id: equalsId('l.load_balancer_id'), listener_id: equalsId('p.listener_id') },
  view: viewPool,
});

async function readRow(call: ProjectCall, id: string): Promise<BalancerRow> {
  const row = await queryOne<BalancerRow>(sql`SELECT ${balancerColumns} FROM ${balancerTables}
    WHERE b.project_id = ${call.project_id}::uuid AND b.id = ${id}::uuid`);
  if (!row) throw notFound('The load balancer');
  return row;
}

/** One load balancer. @throws ApiError 404 */
export const readLoadBalancer = async (call: ProjectCall, id: string): Promise<LoadBalancer> =>
  viewBalancer(await readRow(call, id));

const capOf = (projectId: Sql): Cap => ({
  held: sql`load_balancers_held(${projectId})`,
  most: settings().loadBalancersPerProject,
  setting: 'LOAD_BALANCERS_PER_PROJECT',
  holder: 'The project has',
  things: 'load balancers',
});

/** Load balancers cost nothing and claim no quota. @throws ApiError as the create would: 404, 400, 409 of the cap */
export async function estimateLoadBalancer(call: ProjectCall, input: CreateLoadBalancer): Promise<Estimate> {
  await ensureProjectNetworking(call.project_id);
  await planListeners(call, await requireNetwork(call, input.network_id), input.listeners);
  const cap = capOf(sql`${call.project_id}::uuid`);
  const { held } = await queryRow<{ held: number }>(sql`SELECT ${cap.held} AS held`);
  if (held >= cap.most) throw capReached(cap);
  return { claims: [], uses: [] };
}

const everywhere = { protocol: 'any', portRangeMin: null, portRangeMax: null, cidr: '0.0.0.0/0' } as const;
const egress: SecurityRule = { direction: 'egress', ...everywhere };
const openPorts = (planned: readonly PlannedListener[]): SecurityRule[] => [
  egress,
  ...planned.map(({ listener: { port } }) => ({
    ...everywhere,
    direction: 'ingress' as const,
    protocol: 'tcp' as const,
    portRangeMin: port,
    portRangeMax: port,
  })),
];

/**
 * Creates a load balancer with its VIP and two nodes in one statement; the cell's worker starts the nodes.
 * @throws ApiError in the order 404/400, 409, 402 frozen, 503 no room
 */
export async function createLoadBalancer(call: ProjectCall, input: CreateLoadBalancer): Promise<LoadBalancer> {
  await ensureProjectNetworking(call.project_id);
  const network = await requireNetwork(call, input.network_id);
  await requireGroups(call, input.security_group_ids ?? []);
  const planned = await planListeners(call, network, input.listeners);
  const space = addressSpace(network.id, network.cidr, network.gateway_ip);
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const [vip, ...own] = await freeAddresses(space, 3);
    if (vip === undefined || own.length < 2) break;
    const created = await insertBalancer(call, input, { network_id: network.id, planned, vip, own });
    if (created) return created;
  }
  throw conflict('network_id: the network has no three free addresses for a load balancer.');
}

type NewBalancer = { network_id: string; planned: PlannedListener[]; vip: string; own: string[] };

/** Undefined: another request has just taken an address. */
async function insertBalancer(
  call: ProjectCall,
  input: CreateLoadBalancer,
  { network_id, planned, vip, own }: NewBalancer,
): Promise<LoadBalancer | undefined> {
  const { project_id } = call;
  const { name, idle_timeout_s, security_group_ids } = input;
  const { cell_id, refusal } = await place(project_id, ['network', 'services']);
  const times = { created_at: call.at, updated_at: call.at };
  const id = newId();
  const port = (device_id: string, ip: string, hostname: string) => ({
    id: newId(),
    project_id,
    network_id,
    device_id,
    mac: newMac(),
    ip,
    hostname,
    ...times,
  });
  const shared = port(id, vip, name);
  const nodes = own.map((ip, index) => ({ id: newId(), ordinal: index + 1, ip }));
  const created = viewBalancer({
    id,
    name,
    network_id,
    vip_address: vip,
    vip_port_id: shared.id,
    floating_ip: null,
    provisioning_status: 'pending_create',
    operating_status: 'offline',
    status_reason: null,
    idle_timeout_s,
    cell_id: cell_id ?? '',
    nodes: nodes.map(({ ordinal }) => ({ role: ordinal === 1 ? 'active' : 'stand_by', status: 'starting' })),
    listeners: listenerRows(call, id, planned),
    ...times,
  });
  const nodeRows = nodes.map((node): [string, Sql][] => [
    [`device${node.ordinal}`, deviceInsert(project_id, node.id, 'load_balancer_node')],
    [
      `node${node.ordinal}`,
      insert<Prisma.LoadBalancerNodeUncheckedCreateInput>(
        'load_balancer_nodes',
        { id: node.id, project_id, load_balancer_id: id, ordinal: node.ordinal },
        ifAdmitted,
      ),
    ],
    [
      `port${node.ordinal}`,
      portInsert({
        ...port(node.id, node.ip, `${name.slice(0, 61)}-${node.ordinal}`),
        attachment: 'veth',
        shared_addresses: [vip],
        own_rules: [egress],
      }),
    ],
  ]);
  try {
    await commit(call, {
      resource: { type: 'load_balancer', id, name },
      target: routerInCell(cell_id),
      forbidden: () => 'The project has just been assigned another host. Try again.',
      taken: nameTaken(project_id, name, id),
      caps: [capOf(raw('k.project_id'))],
      freezable: true,
      needs:
        cell_id === null
          ? []
          : nodes.map((node) => ({ cell: cell_id, device: node.id, amounts: { memory_mb: NODE_MEMORY_MB } })),
      room: { fits: raw(refusal ? 'false' : 'true'), refusal: refusal ?? noRoom },
      rows: {
        device: deviceInsert(project_id, id, 'load_balancer'),
        balancer: insert<Prisma.LoadBalancerUncheckedCreateInput>(
          'load_balancers',
          {
            id,
            project_id,
            name,
            network_id,
            cell_id: cell_id ?? '',
            status: 'pending_create',
            operating_status: 'offline',
            idle_timeout_s,
            template: factsOf(idle_timeout_s, planned),
            ...times,
          },
          ifAdmitted,
        ),
        vip: portInsert({ ...shared, attachment: 'none', own_rules: security_group_ids ? [] : openPorts(planned) }),
        carried: carryGroups(project_id, shared.id, security_group_ids ?? []),
        ...certificateUseRows({ project_id, type: 'load_balancer', id, name }, certificatesIn(planned)),
        ...Object.fromEntries(nodeRows.flat()),
        ...treeRows(call, id, planned),
        ...(cell_id === null ? {} : { settled: settleRouter(project_id, cell_id) }),
      },
      operation: createLoadBalancerKind.start(id, {}, { cell_id: cell_id ?? '' }),
      details: { vip_address: vip, listeners: planned.length },
      answer: { status: 201, body: created },
    });
    return created;
  } catch (error) {
    const { constraint } = databaseError(error) ?? {};
    if (constraint === 'ports_network_id_ip_key' || constraint === 'ports_network_id_mac_key') return undefined;
    throw error;
  }
}

const nameTaken = (projectId: string, name: string, id: string) => ({
  when: sql`EXISTS (SELECT FROM load_balancers WHERE project_id = ${projectId}::uuid AND name = ${name}::text AND id <> ${id}::uuid)`,
  message: `name: the project already has a load balancer named ${name}.`,
  constraint: 'load_balancers_project_id_name_key',
});

const listenerRows = (call: ProjectCall, id: string, planned: readonly PlannedListener[]) =>
  planned
    .map(({ listener, pool }) => ({
      ...listener,
      load_balancer_id: id,
      pool_id: pool.id,
      current_connections: 0,
      requests_total: 0,
      created_at: call.at,
      updated_at: call.at,
    }))
    .toSorted((one, other) => one.port - other.port);

/** Inserts or updates listeners, pools and members. */
function treeRows(call: ProjectCall, id: string, planned: readonly PlannedListener[]): Record<string, Sql> {
  const common = { project_id: call.project_id, created_at: call.at, updated_at: call.at };
  const listeners = planned.map(({ listener }) => ({
    ...common,
    ...listener,
    load_balancer_id: id,
    current_connections: 0,
    requests_total: 0,
  }));
  const pools = planned.map(({ listener, pool }) => ({ ...common, ...pool, listener_id: listener.id }));
  const members = planned.flatMap(({ pool, members: list }) =>
    list.map((member) => ({
      project_id: call.project_id,
      ...member,
      pool_id: pool.id,
      status: pool.health_check ? 'down' : 'no_check',
      status_reason: pool.health_check ? NOT_CHECKED : null,
      last_change_at: call.at,
    })),
  );
  return {
    listeners: sql`INSERT INTO load_balancer_listeners SELECT new.* FROM jsonb_populate_recordset(NULL::load_balancer_listeners,
      ${JSON.stringify(listeners)}::jsonb) AS new, ${ifAdmitted} ON CONFLICT (id) DO UPDATE SET name = excluded.name,
      protocol = excluded.protocol, certificate_ids = excluded.certificate_ids, redirect_to_https = excluded.redirect_to_https, allowed_cidrs = excluded.allowed_cidrs,
      updated_at = excluded.updated_at`,
    pools: sql`INSERT INTO load_balancer_pools SELECT new.* FROM jsonb_populate_recordset(NULL::load_balancer_pools,
      ${JSON.stringify(pools)}::jsonb) AS new, ${ifAdmitted} ON CONFLICT (id) DO UPDATE SET name = excluded.name,
      algorithm = excluded.algorithm, sticky = excluded.sticky, health_check = excluded.health_check, slots = excluded.slots,
      updated_at = excluded.updated_at`,
    members: sql`INSERT INTO load_balancer_members SELECT new.* FROM jsonb_populate_recordset(NULL::load_balancer_members,
      ${JSON.stringify(members)}::jsonb) AS new, ${ifAdmitted} ON CONFLICT (id) DO UPDATE SET name = excluded.name,
      weight = excluded.weight, backup = excluded.backup, instance_id = excluded.instance_id`,
  };
}

/** Rows that the change leaves out. The pools and members of a listener go with it. */
function droppedRows(id: string, planned: readonly PlannedListener[]): Record<string, Sql> {
  const listeners = planned.map(({ listener }) => listener.id);
  const members = planned.flatMap((one) => one.members.map((member) => member.id));
  return {
    dropped_listeners: sql`DELETE FROM load_balancer_listeners l USING verdict WHERE verdict.ok
      AND l.load_balancer_id = ${id}::uuid AND NOT l.id = ANY (${listeners}::uuid[])`,
    dropped_members: sql`DELETE FROM load_balancer_members m USING verdict, load_balancer_pools p, load_balancer_listeners l
      WHERE verdict.ok AND p.id = m.pool_id AND l.id = p.listener_id AND l.load_balancer_id = ${id}::uuid
      AND l.id = ANY (${listeners}::uuid[]) AND NOT m.id = ANY (${members}::uuid[])`,
  };
}

const presentListeners = (id: string) =>
  query<PresentListener>(sql`SELECT l.id, l.port, jsonb_build_object('id', p.id, 'slots', p.slots) AS pool,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'address', host(m.address), 'port', m.port, 'slot', m.slot)), '[]')
        FROM load_balancer_members m WHERE m.pool_id = p.id) AS members
    FROM ${raw(listenerTables)} WHERE l.load_balancer_id = ${id}::uuid`);

/**
 * Replaces listeners, pools and members. Weights, members and certificates change in the running proxies; everything else
 * by a reload.
 * @throws ApiError 404, 400, 409 during another change
 */
export async function replaceLoadBalancer(
  call: ProjectCall,
  id: string,
  input: ReplaceLoadBalancer,
): Promise<LoadBalancer> {
  const row = await readRow(call, id);
  const { idle_timeout_s, name = row.name } = input;
  const network = await requireNetwork(call, row.network_id);
  const planned = await planListeners(call, network, input.listeners, await presentListeners(id));
  const facts = factsOf(idle_timeout_s, planned);
  const stored = await queryOne<{ template: unknown }>(sql`SELECT template FROM load_balancers WHERE id = ${id}::uuid`);
  const template = balancerFacts.parse(stored?.template);
  const known = new Map(row.listeners.map((listener) => [listener.id, listener]));
  const changed = viewBalancer({
    ...row,
    name,
    idle_timeout_s,
    provisioning_status: 'pending_update',
    status_reason: null,
    updated_at: call.at,
    listeners: listenerRows(call, id, planned).map((listener) => {
      const { created_at, current_connections, requests_total } = known.get(listener.id) ?? listener;
      return { ...listener, created_at, current_connections, requests_total };
    }),
  });
  await commit(call, {
    resource: { type: 'load_balancer', id, name },
    target: sql`SELECT b.status IN ('active', 'error') AND b.updated_at = ${new Date(row.updated_at)}::timestamptz AS allowed,
        b.status AS state
      FROM k JOIN load_balancers b ON b.project_id = k.project_id AND b.id = ${id}::uuid FOR UPDATE OF b`,
    forbidden: (state) =>
      state === 'active' || state === 'error'
        ? `Load balancer ${row.name} has just been changed; read it again.`
        : `Load balancer ${row.name} is ${state}; wait until that is done.`,
    taken: nameTaken(call.project_id, name, id),
    rows: {
      balancer: sql`UPDATE load_balancers SET name = ${name}::text, idle_timeout_s = ${idle_timeout_s}::int, status = 'pending_update',
        status_reason = NULL, updated_at = ${call.at}::timestamptz,
        template = ${JSON.stringify(structureOf(template) === structureOf(facts) ? withCertificatesOf(template, facts) : facts)}::jsonb
        FROM verdict WHERE verdict.ok AND load_balancers.id = ${id}::uuid`,
      ...treeRows(call, id, planned),
      ...droppedRows(id, planned),
      ...certificateUseRows({ project_id: call.project_id, type: 'load_balancer', id, name }, certificatesIn(planned)),
      opened: sql`${ownRulesChange(row.vip_port_id, openPorts(planned))} AND ports.own_rules <> '[]'`,
      revised: reviseRouter(call.project_id),
    },
    operation: replaceLoadBalancerKind.start(id, {}, row),
    details: { listeners: planned.length, members: planned.reduce((sum, { members }) => sum + members.length, 0) },
    answer: { status: 202, body: changed },
  });
  return changed;
}

/** Deletes a load balancer with its VIP. @throws ApiError 404, 409 while it is being deleted */
export async function deleteLoadBalancer(call: ProjectCall, id: string): Promise<LoadBalancer> {
  const row = await readRow(call, id);
  const changed = viewBalancer({
    ...row,
    provisioning_status: 'pending_delete',
    status_reason: null,
    updated_at: call.at,
  });
  await commit(call, {
    resource: { type: 'load_balancer', id, name: row.name },
    target: sql`SELECT b.status <> 'pending_delete' AS allowed, b.status AS state
      FROM k JOIN load_balancers b ON b.project_id = k.project_id AND b.id = ${id}::uuid FOR UPDATE OF b`,
    rows: {
      balancer: sql`UPDATE load_balancers SET status = 'pending_delete', status_reason = NULL, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND load_balancers.id = ${id}::uuid`,
    },
    operation: deleteLoadBalancerKind.start(id, {}, row),
    answer: { status: 202, body: changed },
  });
  return changed;
}
