import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, notFound } from '@/lib/core/api/errors';
import { contains, equals, equalsId, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { databaseError, queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { deviceInsert } from '@/lib/core/devices/device';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { renameResource } from '@/lib/core/resources/rename';
import { hasTags } from '@/lib/core/tags/filter';
import { imageGone, lockImage, requireImage, type UsableImage } from '@/lib/domains/images/use';
import { settleRouter } from '@/lib/domains/network/floating-ips';
import { hasPortIn } from '@/lib/domains/network/fragments';
import { withFreeAddress } from '@/lib/domains/network/free-address';
import { carryGroups, newMac, portInsert } from '@/lib/domains/network/ports';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { attachedFromTheStart } from '@/lib/domains/storage/attachments';
import { type Placement, place } from '@/lib/hosts/engine-reports/placement';
import { admissionTarget, type InstancePlan, needsOf, noRoom, planInstance, requireFit, roomOf } from './admission';
import { type InstanceRow, instanceColumns, viewInstance } from './instance-view';
import { createKind, deleteKind, kindOfAction } from './operations';
import { type CreateInstance, type Instance, type InstanceAction, instanceQuery } from './schema';
import { impossible, transitions } from './transitions';

/** The project's instances. */
export const listInstances = listOf({
  query: instanceQuery,
  columns: instanceColumns,
  from: raw('instances i'),
  id: 'i.id',
  where: ofProject('i'),
  filters: {
    name: equals('i.name'),
    search: contains('i.name'),
    status: equals('i.status'),
    flavor_id: equalsId('i.flavor_id'),
    image_id: equalsId('i.image_id'),
    network_id: (id) => hasPortIn('i', id),
    tag: hasTags('i'),
  },
  sort: { name: 'i.name' },
  view: viewInstance,
});

async function readRow(call: ProjectCall, id: string): Promise<InstanceRow> {
  const row = await queryOne<InstanceRow>(
    sql`SELECT ${instanceColumns} FROM instances i WHERE i.project_id = ${call.project_id}::uuid AND i.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The instance');
  return row;
}

/** One instance: its state, addresses and flavor. @throws ApiError 404 */
export async function readInstance(call: ProjectCall, id: string): Promise<Instance> {
  return viewInstance(await readRow(call, id));
}

/**
 * Launches an instance: quota, room on the host, address and row in one statement; its worker boots it.
 * @throws ApiError in the order 404/400, 409, 402 frozen, 403 quota, 503 no room
 */
export async function createInstance(call: ProjectCall, input: CreateInstance): Promise<Instance> {
  await ensureProjectNetworking(call.project_id);
  const plan = await planInstance(call, input);
  const { name, cidr, addresses } = plan.network;
  const placement = await place(call.project_id, ['compute', 'network', 'images'], roomOf(plan.flavor));
  const created = await withFreeAddress(addresses, (ip) => admit(call, input, plan, placement, ip));
  if (created) return created;
  throw conflict(`network_id: network ${name} (${cidr}) has no free addresses; choose another network.`);
}

/** undefined: someone else has just taken the address. */
async function admit(
  call: ProjectCall,
  input: CreateInstance,
  plan: InstancePlan,
  { cell_id, refusal }: Placement,
  ip: string,
): Promise<Instance | undefined> {
  const { flavor, image, network, security_group_ids, ssh_public_key, volume_ids } = plan;
  const { project_id } = call;
  const id = newId();
  const times = { created_at: call.at, updated_at: call.at };
  const row = {
    id,
    name: input.name,
    hostname: hostnameOf(input.name, id),
    status: 'provisioning' as const,
    status_reason: null,
    task: 'creating' as const,
    flavor_id: flavor.id,
    image_id: image.id,
    ssh_public_key,
    launched_at: null,
    ...times,
  };
  const port = { id: newId(), network_id: network.id, mac: newMac(), ip };
  const created = viewInstance({
    ...row,
    flavor: flavorView(flavor),
    image: imageView(image),
    addresses: [{ network_id: network.id, port_id: port.id, ip, mac: port.mac, floating_ip: null }],
    security_group_ids: security_group_ids.toSorted(),
    volume_ids: volume_ids.toSorted(),
  });
  const rest = { project_id, cell_id: cell_id ?? '', image_owner_id: image.owner_id, power: 'running', generation: 1 };
  try {
    await commit(call, {
      resource: { type: 'instance', id, name: input.name },
      target: admissionTarget(plan, cell_id),
      forbidden: (state) => {
        if (state === 'image') return imageGone('image_id', image.name);
        if (state === 'volume') return 'volume_ids: a volume is no longer available.';
        return 'The project has just been assigned another host. Try again.';
      },
      claims: [
        { dimension: 'vcpus', amount: flavor.vcpus },
        { dimension: 'ram_gb', amount: flavor.ram_gb },
        { dimension: 'instances', amount: 1 },
      ],
      freezable: true,
      needs: cell_id === null ? [] : [needsOf(flavor, id, cell_id)],
      room: { fits: raw(refusal ? 'false' : 'true'), refusal: refusal ?? noRoom(flavor) },
      rows: {
        device: deviceInsert(project_id, id, 'instance'),
        instance: insert<Prisma.InstanceUncheckedCreateInput>(
          'instances',
          { ...row, ...rest, user_data: input.user_data ?? null },
          ifAdmitted,
        ),
        port: portInsert({ project_id, device_id: id, attachment: 'tap', hostname: row.hostname, ...port, ...times }),
        carried: carryGroups(project_id, port.id, security_group_ids),
        ...attachedFromTheStart(volume_ids, id, call.at),
        ...(cell_id === null ? {} : { settled: settleRouter(project_id, cell_id) }),
      },
      operation: createKind.start(id, {}, rest),
      details: { flavor: flavor.name, image: image.name, ip },
      answer: { status: 201, body: created },
    });
    return created;
  } catch (error) {
    const { constraint } = databaseError(error) ?? {};
    if (constraint === 'ports_network_id_ip_key' || constraint === 'ports_network_id_mac_key') return undefined;
    if (constraint === 'volume_attachments_pkey') throw conflict('volume_ids: a volume is no longer available.');
    throw error;
  }
}

const flavorView = ({ id, name, vcpus, ram_gb, disk_gb, gpu_slices }: InstancePlan['flavor']) => ({
  id,
  name,
  vcpus,
  ram_gb: Number(ram_gb),
  disk_gb,
  gpu_slices,
});
const imageView = ({ id, name, default_user }: UsableImage) => ({ id, name, default_user });

/** A host name (RFC 1123) made of the instance's name. */
function hostnameOf(name: string, id: string): string {
  const label = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return label || `instance-${id.slice(-12)}`;
}

/**
 * Orders an action (spec 3.2).
 * @throws ApiError 404, 409 that names the state where it is impossible
 */
export async function actOnInstance(call: ProjectCall, id: string, input: InstanceAction): Promise<Instance> {
  const row = await readRow(call, id);
  const { from, task, meanwhile, power } = transitions[input.action];
  const image = input.action === 'rebuild' ? await rebuildImage(call, row, input) : undefined;
  const status = meanwhile ?? row.status;
  const changed = viewInstance({
    ...row,
    status,
    status_reason: null,
    task,
    ...(image ? { image_id: image.id, image: imageView(image) } : {}),
    updated_at: call.at,
  });
  const set = [
    sql`task = ${task}::text, status_reason = NULL, updated_at = ${call.at}::timestamptz`,
    ...(meanwhile ? [sql`status = ${meanwhile}::text`] : []),
    ...(power ? [sql`power = ${power}::text`] : []),
    ...(image ? [rebuilt(image)] : []),
  ];
  const isPossible = sql`(i.task IS NULL AND i.status = ANY (${from}::text[]))`;
  await commit(call, {
    resource: { type: 'instance', id, name: row.name },
    // An action that was ordered meanwhile has changed the state that this answer shows: `allowed` compares both.
    target: sql`SELECT ${isPossible} AND locked_image.ready AS allowed,
        CASE WHEN ${isPossible} THEN 'image' ELSE coalesce(i.task, i.status) END AS state
      FROM k JOIN instances i ON i.project_id = k.project_id AND i.id = ${id}::uuid
      CROSS JOIN ${image ? lockImage(image.id) : raw('(SELECT true AS ready)')} AS locked_image FOR UPDATE OF i`,
    forbidden: (state) =>
      image && state === 'image' ? imageGone('image_id', image.name) : impossible(row.name, input.action, state),
    rows: {
      instance: sql`UPDATE instances SET ${joinSet(set)} FROM verdict WHERE verdict.ok AND instances.id = ${id}::uuid`,
    },
    operation: kindOfAction[input.action].start(id, {}, await cellOf(id)),
    details: { action: input.action, ...(image ? { image: image.name } : {}) },
    answer: { status: 202, body: changed },
  });
  return changed;
}

const joinSet = (pieces: readonly Sql[]) => pieces.reduce((all, piece) => sql`${all}, ${piece}`);

/** A failed instance that is rebuilt should run afterwards; any other one does what it did. */
const rebuilt = ({ id, owner_id }: UsableImage) => sql`image_id = ${id}::uuid, image_owner_id = ${owner_id}::uuid,
  generation = instances.generation + 1,
  power = CASE instances.status WHEN 'error' THEN 'running' ELSE instances.power END`;

async function rebuildImage(call: ProjectCall, row: InstanceRow, input: InstanceAction): Promise<UsableImage> {
  const image = await requireImage(call.project_id, 'image_id', input.image_id ?? row.image_id);
  requireFit({ ...row.flavor, ram_gb: String(row.flavor.ram_gb) }, image);
  return image;
}

async function cellOf(id: string): Promise<{ cell_id: string }> {
  const found = await queryOne<{ cell_id: string }>(sql`SELECT cell_id FROM instances WHERE id = ${id}::uuid`);
  if (!found) throw notFound('The instance');
  return found;
}

/** Renames an instance in any state; the hostname of its guest stays. @throws ApiError 404 */
export async function renameInstance(call: ProjectCall, id: string, name: string): Promise<Instance> {
  const row = await readRow(call, id);
  const renamed = await renameResource(call, 'instances', { type: 'instance', id }, name);
  return viewInstance({ ...row, ...renamed });
}

/** Deletes an instance, whatever it does now; the quota comes back when all of it is gone. @throws ApiError 404 */
export async function deleteInstance(call: ProjectCall, id: string): Promise<Instance> {
  const row = await readRow(call, id);
  const deleting = { status: 'deleting', task: 'deleting', status_reason: null, updated_at: call.at } as const;
  await commit(call, {
    resource: { type: 'instance', id, name: row.name },
    target: sql`SELECT true AS allowed, i.status AS state
      FROM k JOIN instances i ON i.project_id = k.project_id AND i.id = ${id}::uuid FOR UPDATE OF i`,
    rows: {
      instance: sql`UPDATE instances SET status = 'deleting', task = 'deleting', status_reason = NULL,
        updated_at = ${call.at}::timestamptz FROM verdict WHERE verdict.ok AND instances.id = ${id}::uuid`,
    },
    operation: deleteKind.start(id, {}, await cellOf(id)),
  });
  return viewInstance({ ...row, ...deleting });
}
