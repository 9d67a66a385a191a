import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict, invalid, noSuch } from '@/lib/core/api/errors';
import { isId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Need } from '@/lib/core/quota/needs';
import { lockImage, requireImage, type UsableImage } from '@/lib/domains/images/use';
import { isRoutedIn, joinRouter } from '@/lib/domains/network/fragments';
import type { AddressSpace } from '@/lib/domains/network/free-address';
import { addressedNetworks, addressSpace, defaultGroup, requireGroups } from '@/lib/domains/network/ports';
import { lockVolumes, volumesAmong } from '@/lib/domains/storage/attachments';
import type { Room } from '@/lib/hosts/engine-reports/placement';
import { publicKeyOf } from './key-pairs';
import type { CreateInstance } from './schema';

export type FlavorFacts = {
  id: string;
  name: string;
  vcpus: number;
  ram_gb: string;
  disk_gb: number;
  gpu_slices: number;
  status: 'active' | 'deprecated';
};

type PlannedNetwork = { id: string; name: string; cidr: string; addresses: AddressSpace };

/** Everything that a new instance refers to, looked up and found fit. */
export type InstancePlan = {
  flavor: FlavorFacts;
  image: UsableImage;
  network: PlannedNetwork;
  security_group_ids: string[];
  ssh_public_key: string | null;
  volume_ids: string[];
};

/**
 * Resolves what a request for an instance names.
 * @throws ApiError 404 that names the field, 400 for what does not fit together, 409 for what is not usable now
 */
export async function planInstance(call: ProjectCall, input: CreateInstance): Promise<InstancePlan> {
  const [flavor, image, network, security_group_ids, volume_ids, ssh_public_key] = await together([
    requireFlavor(input.flavor_id),
    requireImage(call.project_id, 'image_id', input.image_id),
    requireNetwork(call, input.network_id),
    input.security_group_ids ? namedGroups(call, input.security_group_ids) : defaultGroup(call).then((id) => [id]),
    requireVolumes(call, input.volume_ids),
    input.key_pair_id === undefined ? (input.ssh_public_key ?? null) : publicKeyOf(call, input.key_pair_id),
  ]);
  requireFit(flavor, image);
  return { flavor, image, network, security_group_ids, ssh_public_key, volume_ids };
}

/** All lookups at once. When several fail, the first of them in this order says why, however soon the others failed. */
async function together<const T extends readonly unknown[]>(
  lookups: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(lookups);
  return Promise.all(lookups);
}

async function requireFlavor(id: string): Promise<FlavorFacts> {
  const found = isId(id)
    ? await queryOne<FlavorFacts>(
        sql`SELECT id, name, vcpus, ram_gb, disk_gb, gpu_slices, status FROM flavors WHERE id = ${id}::uuid`,
      )
    : undefined;
  if (!found) throw noSuch('flavor_id', 'flavor');
  if (found.status === 'deprecated')
    throw conflict(`flavor_id: flavor ${found.name} is retired and cannot be used for new instances.`);
  return found;
}

/** @throws ApiError 400 when the image needs a larger flavor */
export function requireFit(flavor: Pick<FlavorFacts, 'name' | 'disk_gb' | 'ram_gb'>, image: UsableImage): void {
  if (image.min_disk_gb > flavor.disk_gb) {
    throw invalid(
      `flavor_id: image ${image.name} requires a disk of at least ${image.min_disk_gb} GB; flavor ${flavor.name} has ${flavor.disk_gb} GB.`,
    );
  }
  if (image.min_ram_mb > Number(flavor.ram_gb) * 1024) {
    throw invalid(
      `flavor_id: image ${image.name} requires at least ${image.min_ram_mb} MB of memory; flavor ${flavor.name} has less.`,
    );
  }
}

async function requireNetwork(call: ProjectCall, id: string): Promise<PlannedNetwork> {
  const found = isId(id) ? (await addressedNetworks(call, id))[0] : undefined;
  if (!found) throw noSuch('network_id', 'network');
  const { gateway_ip, ...network } = found;
  return { ...network, addresses: addressSpace(found.id, found.cidr, gateway_ip) };
}

async function namedGroups(call: ProjectCall, ids: readonly string[]): Promise<string[]> {
  await requireGroups(call, ids);
  return [...new Set(ids)];
}

async function requireVolumes(call: ProjectCall, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await volumesAmong(call, ids.filter(isId));
  for (const [index, id] of ids.entries()) {
    const volume = found.find((candidate) => candidate.id === id.toLowerCase());
    if (!volume) throw noSuch(`volume_ids.${index}`, 'volume');
    if (volume.status !== 'available') {
      throw conflict(
        `volume_ids.${index}: volume ${volume.name} is ${volume.status}; only available volumes can be attached.`,
      );
    }
  }
  return found.map(({ id }) => id);
}

/** The rows that decide about a new instance, all locked: the project's router (after `k`), the image and the volumes. */
export function admissionTarget({ image, volume_ids }: InstancePlan, cellId: string | null): Sql {
  if (cellId === null) return raw('SELECT true AS allowed, NULL::text AS state FROM k');
  return sql`
    SELECT ${isRoutedIn(cellId)} AND locked_image.ready AND locked_volumes.ready = ${volume_ids.length}::int AS allowed,
      CASE WHEN NOT locked_image.ready THEN 'image' WHEN locked_volumes.ready = ${volume_ids.length}::int THEN 'host'
        ELSE 'volume' END AS state
    FROM k ${joinRouter()}
    CROSS JOIN ${lockImage(image.id)} AS locked_image CROSS JOIN ${lockVolumes(volume_ids, cellId)} FOR UPDATE OF r`;
}

/** What an instance of the flavor takes of its cell, without what each guest takes besides its own memory. */
export function roomOf({ vcpus, ram_gb, disk_gb, gpu_slices }: FlavorFacts): Room {
  return { vcpus, memory_mb: Math.ceil(Number(ram_gb) * 1024), disk_gb, gpu_slices };
}

/** The room that a new instance takes in its cell. */
export function needsOf(flavor: FlavorFacts, id: string, cell: string): Need {
  const room = roomOf(flavor);
  const memory_mb = sql`${room.memory_mb}::int + cell.memory_mb_overhead`;
  return { cell, device: id, amounts: { ...room, memory_mb } };
}

/** The room that instances should hold in their cells. */
export const instanceRoom = sql`
  SELECT i.cell_id, i.id AS device_id, room.kind, room.amount
  FROM instances i JOIN flavors f ON f.id = i.flavor_id JOIN cells c ON c.id = i.cell_id
  CROSS JOIN LATERAL (VALUES ('vcpus', f.vcpus), ('memory_mb', ceil(f.ram_gb * 1024)::int + c.memory_mb_overhead),
    ('disk_gb', f.disk_gb), ('gpu_slices', f.gpu_slices)) AS room (kind, amount)`;

/** The refusal where a cell is there and has no room. */
export function noRoom(flavor: FlavorFacts): ApiError {
  const gpu = flavor.gpu_slices > 0 ? ` and ${flavor.gpu_slices} GPU slices` : '';
  return new ApiError(
    'CAPACITY_EXHAUSTED',
    `No host has enough free capacity for flavor ${flavor.name} (${flavor.vcpus} vCPUs, ${Number(flavor.ram_gb)} GB of memory, ` +
      `${flavor.disk_gb} GB of disk${gpu}). Choose a smaller flavor or try again later.`,
  );
}
