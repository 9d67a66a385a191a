import type { Estimate, ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict, invalid, notFound } from '@/lib/core/api/errors';
import { contains, equals, equalsId, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { databaseError, queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { deviceInsert } from '@/lib/core/devices/device';
import type { NewOperation } from '@/lib/core/operations/enqueue';
import { commit, ifAdmitted, type Write } from '@/lib/core/quota/commit';
import type { Need } from '@/lib/core/quota/needs';
import { hasTags } from '@/lib/core/tags/filter';
import { type PlannedNetwork, requireNetwork } from '@/lib/domains/loadbalancing/plan';
import { settleRouter } from '@/lib/domains/network/floating-ips';
import { routerInCell } from '@/lib/domains/network/fragments';
import { freeAddresses } from '@/lib/domains/network/free-address';
import { networkNameInsert } from '@/lib/domains/network/names';
import {
  addressSpace,
  carryGroups,
  carryOnly,
  newMac,
  ownRulesChange,
  portInsert,
  requireGroups,
} from '@/lib/domains/network/ports';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { reviseRouter } from '@/lib/domains/network/service';
import { firstAuthority } from '@/lib/hosts/certificates/certificates';
import { place } from '@/lib/hosts/engine-reports/placement';
import { listPrograms } from '@/lib/hosts/services/programs';
import type { Use } from '@/lib/money/metering/use';
import { ownCell, settings } from '@/lib/settings';
import { restoreKind } from './backups/operations';
import { type PlannedRestore, planRestore, requireMemoryOfBackup } from './backups/plan';
import { accountOf, newCredentials, newSecrets } from './credentials';
import { type DatabaseEngine, memberCounts } from './engines';
import {
  createClusterKind,
  deleteClusterKind,
  setPasswordKind,
  switchPrimaryKind,
  updateClusterKind,
} from './operations';
import { changedParameters, type Parameters, restartsFor } from './parameters';
import {
  type ClusterSize,
  ENDPOINT_MEMORY_MB,
  memberRoom,
  memberSize,
  openToNetwork,
  openToPeers,
  requireInstances,
  requireVersion,
  requireWithinLimits,
} from './plan';
import type {
  ChangeCluster,
  ClusterParams,
  CreateCluster,
  DatabaseCluster,
  DatabaseClusterWithCredentials,
  EngineVersion,
  UpgradeCandidate,
} from './schema';
import { clusterQuery } from './schema';
import { openSecrets, sealSecrets } from './secrets';
import { catalogue, engineTrouble, upgradeCandidates } from './versions';
import { type ClusterRow, clusterColumns, clusterTables, memberName, viewCluster } from './view';

/** Attempts to find free addresses while others take them at the same time. */
const MOST_ATTEMPTS = 10;
export const noRoom = new ApiError(
  'CAPACITY_EXHAUSTED',
  'No host has enough free capacity for this cluster. Choose a smaller size, or try again later.',
);

export const listClusters = listOf({
  query: clusterQuery,
  columns: clusterColumns,
  from: clusterTables,
  id: 'c.id',
  where: ofProject('c'),
  filters: {
    engine: equals('c.engine'),
    namespace: equals('c.namespace'),
    name: equals('c.name'),
    search: contains('c.name'),
    status: equals('c.status'),
    network_id: equalsId('c.network_id'),
    tag: hasTags('c'),
  },
  sort: { name: 'c.name' },
  view: viewCluster,
});

/** @throws ApiError 404 */
export async function readClusterRow(call: ProjectCall, { engine, ns, name }: ClusterParams): Promise<ClusterRow> {
  const row = await queryOne<ClusterRow>(sql`SELECT ${clusterColumns} FROM ${clusterTables}
    WHERE c.project_id = ${call.project_id}::uuid AND c.engine = ${engine}::text AND c.namespace = ${ns}::text AND c.name = ${name}::text`);
  if (!row) throw notFound('The database cluster');
  return row;
}

/** One cluster. @throws ApiError 404 */
export const readCluster = async (call: ProjectCall, params: ClusterParams): Promise<DatabaseCluster> =>
  viewCluster(await readClusterRow(call, params));

/** The versions that are certified, with the state of their programs on this host. */
export async function listVersions(engine?: DatabaseEngine): Promise<EngineVersion[]> {
  const programs = await listPrograms(ownCell()).catch(() => []);
  return catalogue(programs, engine);
}

/** @throws ApiError 404 */
export async function listCandidates(call: ProjectCall, params: ClusterParams): Promise<UpgradeCandidate[]> {
  const { engine, version } = await readClusterRow(call, params);
  return upgradeCandidates(engine, version);
}

/** What a cluster of this size is billed for while all its members run (services, section 0). */
function billedWhileRunning(engine: DatabaseEngine, { vcpus, ram_gb, storage_gb, instances }: ClusterSize): Use[] {
  const hours: Use[] =
    engine === 'postgres' || engine === 'valkey'
      ? [{ metric: `${engine}_database`, quantity: instances }]
      : [
          { metric: 'compute_vcpu', quantity: vcpus * instances },
          { metric: 'compute_memory', quantity: ram_gb * instances },
        ];
  return [...hours, { metric: 'block_storage', quantity: storage_gb * instances, label: 'Storage' }];
}

type Plan = {
  network: PlannedNetwork;
  version: string;
  size: ClusterSize;
  parameters: Parameters;
  restore: PlannedRestore | null;
};

/** @throws ApiError 400, 404, 409 for a limit beside the quotas */
async function planCluster(call: ProjectCall, engine: DatabaseEngine, input: CreateCluster): Promise<Plan> {
  const restore = await planRestore(call, engine, input);
  const version = requireVersion(engine, restore?.version ?? input.version);
  const instances = input.instances ?? memberCounts[engine].preset;
  requireInstances(engine, instances);
  const parameters = changedParameters(engine, {}, input.parameters ?? {});
  const size = { ...(await memberSize(input)), storage_gb: input.storage_gb, instances };
  requireMemoryOfBackup(engine, restore, size.ram_gb);
  await ensureProjectNetworking(call.project_id);
  const network = await requireNetwork(call, input.network_id);
  await requireGroups(call, input.security_group_ids ?? []);
  requireWithinLimits(size);
  return { network, version, size, parameters, restore };
}

/** @throws ApiError as the create would: 400, 404, 409 */
export async function estimateCluster(
  call: ProjectCall,
  engine: DatabaseEngine,
  input: CreateCluster,
): Promise<Estimate> {
  const { size } = await planCluster(call, engine, input);
  return {
    claims: engine === 'qdrant' ? [] : [{ dimension: 'databases', amount: 1 }],
    uses: billedWhileRunning(engine, size),
  };
}

/**
 * Creates a cluster with its address and its members in one statement; the cell's worker starts them. Only the answer has
 * the password.
 * @throws ApiError 400, 404, 409, 402 frozen, QuotaBreach 403, 503 for a missing engine or no room
 */
export async function createCluster(
  call: ProjectCall,
  engine: DatabaseEngine,
  input: CreateCluster,
): Promise<DatabaseClusterWithCredentials> {
  const plan = await planCluster(call, engine, input);
  const { id, cidr, gateway_ip } = plan.network;
  const space = addressSpace(id, cidr, gateway_ip);
  const wanted = plan.size.instances + 1;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const [address, ...own] = await freeAddresses(space, wanted);
    if (address === undefined || own.length < plan.size.instances) break;
    const created = await insertCluster(call, engine, input, { ...plan, address, own });
    if (created) return created;
  }
  throw conflict(`network_id: the network has no ${wanted} free addresses for a cluster.`);
}

type Addressed = Plan & { address: string; own: string[] };

/** Undefined: another request has just taken an address. */
async function insertCluster(
  call: ProjectCall,
  engine: DatabaseEngine,
  input: CreateCluster,
  { network, version, size, parameters, restore, address, own }: Addressed,
): Promise<DatabaseClusterWithCredentials | undefined> {
  const { project_id } = call;
  const { name, namespace, security_group_ids } = input;
  const { cell_id, refusal } = await place(project_id, ['network', 'services']);
  if (restore?.cell_id && cell_id !== null && cell_id !== restore.cell_id)
    throw conflict('restore: the backup is on another host than the project.');
  const trouble = engineTrouble(engine, version);
  const id = newId();
  const credentials = newCredentials(engine);
  const { username, database } = accountOf(engine);
  const authority = await firstAuthority({ id, kind: 'database_cluster', project_id }, ifAdmitted);
  const port = { id: newId(), project_id, network_id: network.id, device_id: id, mac: newMac(), ip: address };
  const members = own.map((ip, index) =>
    newMember({ ordinal: index + 1, ip, version, role: index === 0 ? 'primary' : 'standby' }),
  );
  const times = { created_at: call.at, updated_at: call.at };
  const row: ClusterRow = {
    id,
    engine,
    namespace,
    name,
    version,
    moves: 0,
    status: restore ? 'restoring' : 'provisioning',
    status_reason: null,
    cell_id: cell_id ?? '',
    network_id: network.id,
    address,
    port_id: port.id,
    floating_ip: null,
    security_group_ids: (security_group_ids ?? []).toSorted(),
    authorities: authority.certificate,
    ...size,
    ram_gb: String(size.ram_gb),
    used_bytes: null,
    parameters,
    username,
    database_name: database,
    last_backup_at: null,
    restore_window: null,
    job_id: null,
    members: members.map(({ ordinal, role }) => ({
      ordinal,
      role,
      status: 'starting',
      status_reason: null,
      version,
      lag_bytes: null,
    })),
    ...times,
  };
  const created = {
    ...viewCluster(row),
    credentials: credentials.shown,
  };
  const isCounted = engine !== 'qdrant';
  try {
    await commit(call, {
      resource: { type: 'database_cluster', id, name },
      target: routerInCell(cell_id),
      forbidden: () => 'The project has just been assigned another host. Try again.',
      taken: {
        when: sql`EXISTS (SELECT FROM database_clusters WHERE project_id = ${project_id}::uuid AND engine = ${engine}::text
          AND namespace = ${namespace}::text AND name = ${name}::text)`,
        message: `name: namespace ${namespace} already has a ${engine} cluster named ${name}.`,
        constraint: 'database_clusters_project_id_engine_namespace_name_key',
      },
      ...(isCounted
        ? { claims: [{ dimension: 'databases' as const, amount: 1 }] }
        : { caps: [qdrantCap(raw('k.project_id'))] }),
      freezable: true,
      needs:
        cell_id === null
          ? []
          : [
              { cell: cell_id, device: id, amounts: { memory_mb: ENDPOINT_MEMORY_MB } },
              ...members.map((one) => ({ cell: cell_id, device: one.id, amounts: memberRoom(size) })),
            ],
      room: {
        fits: raw(trouble || refusal ? 'false' : 'true'),
        refusal: trouble ? new ApiError('ENGINE_UNAVAILABLE', trouble) : (refusal ?? noRoom),
      },
      rows: {
        device: deviceInsert(project_id, id, 'database_cluster'),
        cluster: insert<Prisma.DatabaseClusterUncheckedCreateInput>(
          'database_clusters',
          {
            id,
            project_id,
            engine,
            namespace,
            name,
            version,
            network_id: network.id,
            cell_id: cell_id ?? '',
            status: restore ? 'restoring' : 'provisioning',
            ...(restore && { recovery: { at: restore.at } }),
            ...size,
            parameters,
            username,
            database_name: database,
            sealed_secrets: Uint8Array.from(sealSecrets(id, newSecrets(credentials.verifier))),
            ...times,
          },
          ifAdmitted,
        ),
        authority: authority.row,
        port: portInsert({
          ...port,
          hostname: name,
          attachment: 'veth',
          own_rules: security_group_ids ? [] : openToNetwork(engine, network.cidr),
          ...times,
        }),
        carried: carryGroups(project_id, port.id, security_group_ids ?? []),
        named: networkNameInsert({
          network_id: network.id,
          project_id,
          device_id: id,
          name: hostName({ engine, namespace, name }),
          addresses: [address],
        }),
        ...memberRows(call, { id, engine, name, network }, members),
        ...(cell_id === null ? {} : { settled: settleRouter(project_id, cell_id) }),
      },
      operation: restore
        ? restoreKind.start(id, inputOf(restore), { cell_id: cell_id ?? '' })
        : createClusterKind.start(id, {}, { cell_id: cell_id ?? '' }),
      details: { engine, version, ...size, ...(restore && { backup_id: restore.backup_id, at: restore.at }) },
      answer: { status: 201, body: created },
    });
    return created;
  } catch (error) {
    const { constraint } = databaseError(error) ?? {};
    if (constraint === 'ports_network_id_ip_key' || constraint === 'ports_network_id_mac_key') return undefined;
    throw error;
  }
}

const inputOf = ({ backup_id, source_id, group_no, start_segment, at }: PlannedRestore) => ({
  backup_id,
  source_id,
  group_no,
  start_segment,
  at,
});

/** The name that the network's resolver answers with the cluster's address. */
export const hostName = ({ engine, namespace, name }: Pick<ClusterRow, 'engine' | 'namespace' | 'name'>): string =>
  `${name}.${namespace}.${engine}`;

const qdrantCap = (projectId: Sql) => ({
  held: sql`qdrant_clusters_held(${projectId})`,
  most: settings().qdrantClustersPerProject,
  setting: 'QDRANT_CLUSTERS_PER_PROJECT',
  holder: 'The project has',
  things: 'Qdrant clusters',
});

export type NewMember = {
  id: string;
  ordinal: number;
  ip: string;
  version: string;
  role: 'primary' | 'standby';
  group_no: number;
};

export const newMember = (member: Omit<NewMember, 'id' | 'group_no'> & { group_no?: number }): NewMember => ({
  id: newId(),
  group_no: 1,
  ...member,
});

/** The rows of new members: their devices, and a port of each on the cluster's network. */
export function memberRows(
  { project_id, at }: { project_id: string; at: Date },
  {
    id,
    engine,
    name,
    network,
  }: { id: string; engine: DatabaseEngine; name: string; network: Pick<PlannedNetwork, 'id' | 'cidr'> },
  members: readonly NewMember[],
): Record<string, Sql> {
  const rows = members.map((member): [string, Sql][] => [
    [`device${member.ordinal}`, deviceInsert(project_id, member.id, 'database_member')],
    [
      `member${member.ordinal}`,
      insert<Prisma.DatabaseMemberUncheckedCreateInput>(
        'database_members',
        {
          id: member.id,
          project_id,
          cluster_id: id,
          ordinal: member.ordinal,
          group_no: member.group_no,
          version: member.version,
          role: member.role,
          created_at: at,
        },
        ifAdmitted,
      ),
    ],
    [
      `port${member.ordinal}`,
      portInsert({
        id: newId(),
        project_id,
        network_id: network.id,
        device_id: member.id,
        mac: newMac(),
        ip: member.ip,
        hostname: memberName(name.slice(0, 60), member.ordinal),
        attachment: 'veth',
        own_rules: openToPeers(engine, network.cidr),
        created_at: at,
        updated_at: at,
      }),
    ],
  ]);
  return Object.fromEntries(rows.flat());
}

const settledStatuses = ['available', 'degraded', 'error'] as const;
const isSettled = (status: string) => settledStatuses.some((one) => one === status);

type Change = Pick<Write, 'rows'> &
  Partial<Pick<Write, 'needs' | 'room' | 'freezable' | 'details'>> & {
    status: ClusterRow['status'];
    /** Further columns of the cluster: `, name = value`. */
    set?: Sql;
    /** Statuses in which the change is possible. */
    in?: readonly string[];
    operation: NewOperation;
    answer: { status: number; body: unknown };
  };

/** A change of a cluster that its worker carries out. @throws ApiError 409 while another one is under way */
export async function changeRow(call: ProjectCall, row: ClusterRow, change: Change): Promise<void> {
  const { status, set = raw(''), operation, rows, in: allowed = settledStatuses, ...more } = change;
  await commit(call, {
    resource: { type: 'database_cluster', id: row.id, name: row.name },
    target: sql`SELECT c.status = ANY (${[...allowed]}::text[]) AND c.updated_at = ${new Date(row.updated_at)}::timestamptz AS allowed, c.status AS state
      FROM k JOIN database_clusters c ON c.project_id = k.project_id AND c.id = ${row.id}::uuid FOR UPDATE OF c`,
    forbidden: (state) =>
      allowed.includes(state)
        ? `Cluster ${row.name} has just been changed; read it again.`
        : `Cluster ${row.name} is ${state}; wait until that is done.`,
    rows: {
      cluster: sql`UPDATE database_clusters SET status = ${status}::text, status_reason = NULL, updated_at = ${call.at}::timestamptz ${set}
        FROM verdict WHERE verdict.ok AND database_clusters.id = ${row.id}::uuid`,
      ...rows,
    },
    operation,
    ...more,
  });
}

const sizeOf = ({ ram_gb, flavor_id, vcpus, storage_gb, instances }: ClusterRow): ClusterSize => ({
  flavor_id,
  vcpus,
  ram_gb: Number(ram_gb),
  storage_gb,
  instances,
});

/** @throws ApiError 400 for less storage, 404, 409 for a limit beside the quotas */
async function changedSize(row: ClusterRow, input: ChangeCluster): Promise<ClusterSize> {
  const before = sizeOf(row);
  const size = {
    ...(await memberSize(input, before)),
    storage_gb: input.storage_gb ?? before.storage_gb,
    instances: input.instances ?? before.instances,
  };
  requireInstances(row.engine, size.instances);
  if (size.storage_gb < before.storage_gb)
    throw invalid(`storage_gb: storage only grows, and the cluster has ${before.storage_gb} GB.`);
  requireWithinLimits(size);
  return size;
}

/** What a change adds to the costs. @throws ApiError as the change would: 400, 404, 409 */
export async function estimateChange(
  call: ProjectCall,
  params: ClusterParams,
  input: ChangeCluster,
): Promise<Estimate> {
  const row = await readClusterRow(call, params);
  const before = sizeOf(row);
  const size = await changedSize(row, input);
  const present = new Map(billedWhileRunning(row.engine, before).map(({ metric, quantity }) => [metric, quantity]));
  const uses = billedWhileRunning(row.engine, size).map((use) => ({
    ...use,
    quantity: Math.max(0, use.quantity - (present.get(use.metric) ?? 0)),
  }));
  return { claims: [], uses: uses.filter(({ quantity }) => quantity > 0) };
}

/**
 * Changes size, members, storage, parameters or security groups. Members change one after the other.
 * @throws ApiError 400, 404, 409, 402 frozen for more, 503 no room
 */
export async function changeCluster(
  call: ProjectCall,
  params: ClusterParams,
  input: ChangeCluster,
): Promise<DatabaseCluster> {
  const row = await readClusterRow(call, params);
  const { engine } = row;
  const before = sizeOf(row);
  const size = await changedSize(row, input);
  const parameters = changedParameters(engine, row.parameters, input.parameters ?? {});
  await requireGroups(call, input.security_group_ids ?? []);
  const members = await currentMembers(row.id);
  const network = await requireNetwork(call, row.network_id);
  const more = size.instances - members.length;
  const added = await addedMembers(row, network, members, Math.max(0, more));
  const leaving = members
    .filter(({ role }) => role !== 'primary')
    .slice(Math.max(0, members.length - 1 + Math.min(0, more)));
  const groups = input.security_group_ids;
  const changed: DatabaseCluster = viewCluster({
    ...row,
    ...size,
    ram_gb: String(size.ram_gb),
    parameters,
    status: 'updating',
    status_reason: null,
    security_group_ids: groups ? groups.toSorted() : row.security_group_ids,
    members: [
      ...row.members.filter(({ ordinal }) => !leaving.some((one) => one.ordinal === ordinal)),
      ...added.map(({ ordinal, role, version }) => ({
        ordinal,
        role,
        version,
        status: 'starting' as const,
        status_reason: null,
        lag_bytes: null,
      })),
    ],
    updated_at: call.at,
  });
  const isMore = size.vcpus > row.vcpus || size.ram_gb > before.ram_gb || size.storage_gb > row.storage_gb || more > 0;
  const cell = row.cell_id;
  const [old, wanted] = [memberRoom(before), memberRoom(size)];
  const difference = {
    vcpus: wanted.vcpus - old.vcpus,
    memory_mb: wanted.memory_mb - old.memory_mb,
    disk_gb: wanted.disk_gb - old.disk_gb,
  };
  const restarts =
    size.vcpus !== row.vcpus || size.ram_gb !== before.ram_gb || restartsFor(engine, row.parameters, parameters);
  const needs: Need[] = [
    ...(Object.values(difference).some((one) => one !== 0)
      ? members.map((one) => ({ cell, device: one.id, amounts: difference }))
      : []),
    ...added.map((one) => ({ cell, device: one.id, amounts: wanted })),
  ];
  await changeRow(call, row, {
    status: 'updating',
    freezable: isMore,
    needs,
    room: { fits: raw('true'), refusal: noRoom },
    set: sql`, vcpus = ${size.vcpus}::int, ram_gb = ${size.ram_gb}::numeric, storage_gb = ${size.storage_gb}::int,
      instances = ${size.instances}::int, flavor_id = ${size.flavor_id}::uuid, parameters = ${JSON.stringify(parameters)}::jsonb`,
    rows: {
      leaving: sql`UPDATE database_members SET leaving = true, in_sync = false FROM verdict
        WHERE verdict.ok AND database_members.id = ANY (${leaving.map(({ id }) => id)}::uuid[])`,
      ...memberRows(call, { ...row, network }, added),
      ...(groups ? groupRows(call, row, groups) : {}),
      ...(added.length > 0 && !groups ? { revised: reviseRouter(call.project_id) } : {}),
    },
    operation: updateClusterKind.start(row.id, { restarts, moves: row.moves }, row),
    details: { ...size, parameters: input.parameters ?? {} },
    answer: { status: 202, body: changed },
  });
  return changed;
}

const groupRows = (call: ProjectCall, row: ClusterRow, groups: readonly string[]): Record<string, Sql> => ({
  ...carryOnly(call.project_id, row.port_id, groups),
  // A cluster whose groups were chosen has no rules of its own.
  closed: ownRulesChange(row.port_id, []),
  revised: reviseRouter(call.project_id),
});

type PresentMember = { id: string; ordinal: number; role: string; version: string; group_no: number };

/** The members of the serving group, those first that leave last. */
async function currentMembers(clusterId: string): Promise<PresentMember[]> {
  const found = await queryOne<{ members: PresentMember[] }>(sql`
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'ordinal', m.ordinal, 'role', m.role, 'version', m.version, 'group_no', m.group_no)
      ORDER BY m.role = 'primary' DESC, m.in_sync DESC, m.ordinal), '[]') AS members
    FROM database_members m JOIN database_clusters c ON c.id = m.cluster_id AND c.serving_group = m.group_no
    WHERE c.id = ${clusterId}::uuid AND NOT m.leaving`);
  return found?.members ?? [];
}

async function addedMembers(
  row: ClusterRow,
  network: PlannedNetwork,
  members: readonly PresentMember[],
  count: number,
): Promise<NewMember[]> {
  if (count === 0) return [];
  const addresses = await freeAddresses(addressSpace(network.id, network.cidr, network.gateway_ip), count);
  if (addresses.length < count) throw conflict(`network_id: the network has no ${count} free addresses for members.`);
  const highest = await queryOne<{ ordinal: number }>(
    sql`SELECT max(ordinal) AS ordinal FROM database_members WHERE cluster_id = ${row.id}::uuid`,
  );
  return addresses.map((ip, index) =>
    newMember({
      ordinal: (highest?.ordinal ?? 0) + index + 1,
      ip,
      version: row.version,
      role: 'standby',
      group_no: members[0]?.group_no ?? 1,
    }),
  );
}

/** Gives the tenant a new password, which holds for new connections within seconds. @throws ApiError 404, 409 */
export async function resetPassword(call: ProjectCall, params: ClusterParams): Promise<DatabaseClusterWithCredentials> {
  const row = await readClusterRow(call, params);
  const stored = await queryOne<{ sealed_secrets: Buffer }>(
    sql`SELECT sealed_secrets FROM database_clusters WHERE project_id = ${call.project_id}::uuid AND id = ${row.id}::uuid`,
  );
  if (!stored) throw notFound('The database cluster');
  const credentials = newCredentials(row.engine);
  const sealed = sealSecrets(row.id, {
    ...openSecrets(row.id, stored.sealed_secrets),
    verifier: credentials.verifier,
  });
  const changed = {
    ...viewCluster({ ...row, status: 'updating', status_reason: null, updated_at: call.at }),
    credentials: credentials.shown,
  };
  await changeRow(call, row, {
    status: 'updating',
    set: sql`, sealed_secrets = ${sealed}::bytea, roles_wanted = roles_wanted + 1`,
    rows: {},
    operation: setPasswordKind.start(row.id, {}, row),
    answer: { status: 200, body: changed },
  });
  return changed;
}

/** A planned switch to a standby. @throws ApiError 404, 409 without one that has everything */
export async function failOver(call: ProjectCall, params: ClusterParams): Promise<DatabaseCluster> {
  const row = await readClusterRow(call, params);
  if (row.instances === 1) throw conflict(`Cluster ${row.name} has one member: there is nothing to switch to.`);
  const ready = await queryOne(
    sql`SELECT FROM database_members WHERE cluster_id = ${row.id}::uuid AND in_sync AND role = 'standby' AND NOT leaving`,
  );
  if (!ready && isSettled(row.status))
    throw conflict(
      `No standby of cluster ${row.name} has caught up with the primary. Wait until the cluster is available.`,
    );
  const changed = viewCluster({ ...row, status: 'failing_over', status_reason: null, updated_at: call.at });
  await changeRow(call, row, {
    status: 'failing_over',
    in: ['available', 'degraded'],
    rows: {},
    operation: switchPrimaryKind.start(row.id, { moves: row.moves }, row),
    answer: { status: 202, body: changed },
  });
  return changed;
}

/** Deletes a cluster with its data. @throws ApiError 404, 409 while it is being deleted */
export async function deleteCluster(call: ProjectCall, params: ClusterParams): Promise<DatabaseCluster> {
  const row = await readClusterRow(call, params);
  const changed = viewCluster({ ...row, status: 'deleting', status_reason: null, updated_at: call.at });
  await commit(call, {
    resource: { type: 'database_cluster', id: row.id, name: row.name },
    target: sql`SELECT c.status <> 'deleting' AS allowed, c.status AS state
      FROM k JOIN database_clusters c ON c.project_id = k.project_id AND c.id = ${row.id}::uuid FOR UPDATE OF c`,
    rows: {
      cluster: sql`UPDATE database_clusters SET status = 'deleting', status_reason = NULL, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND database_clusters.id = ${row.id}::uuid`,
    },
    operation: deleteClusterKind.start(row.id, {}, row),
    answer: { status: 202, body: changed },
  });
  return changed;
}
