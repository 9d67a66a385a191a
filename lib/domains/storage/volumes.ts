import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict, invalid, noSuch } from '@/lib/core/api/errors';
import { contains, equals, equalsId, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { deviceInsert } from '@/lib/core/devices/device';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import type { Need } from '@/lib/core/quota/needs';
import { renameResource } from '@/lib/core/resources/rename';
import { hasTags } from '@/lib/core/tags/filter';
import { lockImage, requireImage } from '@/lib/domains/images/use';
import { settleRouter } from '@/lib/domains/network/floating-ips';
import { isRoutedIn, joinRouter } from '@/lib/domains/network/fragments';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { place } from '@/lib/hosts/engine-reports/placement';
import { createVolumeKind, deleteVolumeKind, resizeKind } from './operations';
import { type CreateVolume, type Volume, volumeQuery } from './schema';
import { readVolumeRow, type VolumeRow, viewVolume, volumeColumns } from './volume-view';

/** The project's volumes. */
export const listVolumes = listOf({
  query: volumeQuery,
  columns: volumeColumns,
  from: raw('volumes v'),
  id: 'v.id',
  where: ofProject('v'),
  filters: {
    name: equals('v.name'),
    search: contains('v.name'),
    status: equals('v.status'),
    instance_id: (id) =>
      sql`EXISTS (SELECT FROM volume_attachments a WHERE a.volume_id = v.id AND a.instance_id = ${id}::uuid)`,
    image_id: equalsId('v.image_id'),
    snapshot_id: equalsId('v.snapshot_id'),
    tag: hasTags('v'),
  },
  sort: { name: 'v.name' },
  view: viewVolume,
});

/** One volume: its status, size and attachments. @throws ApiError 404 */
export async function readVolume(call: ProjectCall, id: string): Promise<Volume> {
  return viewVolume(await readVolumeRow(call, id));
}

/** What a volume begins with. */
type Source = { image_owner_id: string | null; image_id: string | null; snapshot_id: string | null };

/** @throws ApiError 404, 400 for less than the source needs, 409 for a snapshot that is not available */
export async function findSource(call: ProjectCall, { size_gb, image_id, snapshot_id }: CreateVolume): Promise<Source> {
  if (image_id !== undefined) {
    const image = await requireImage(call.project_id, 'image_id', image_id);
    if (size_gb < image.min_disk_gb) throw tooSmall(`image ${image.name}`, image.min_disk_gb);
    return { image_owner_id: image.owner_id, image_id: image.id, snapshot_id: null };
  }
  if (snapshot_id !== undefined) {
    const snapshot = isId(snapshot_id)
      ? await queryOne<{ id: string; name: string; status: string; size_gb: number }>(sql`
          SELECT id, name, status, size_gb FROM snapshots
          WHERE project_id = ${call.project_id}::uuid AND id = ${snapshot_id}::uuid`)
      : undefined;
    if (!snapshot) throw noSuch('snapshot_id', 'snapshot');
    if (size_gb < snapshot.size_gb) throw tooSmall(`snapshot ${snapshot.name}`, snapshot.size_gb);
    if (snapshot.status !== 'available') throw notReady(snapshot.name, snapshot.status);
    return { image_owner_id: null, image_id: null, snapshot_id: snapshot.id };
  }
  return { image_owner_id: null, image_id: null, snapshot_id: null };
}

const tooSmall = (what: string, gb: number) => invalid(`size_gb: ${what} requires a volume of at least ${gb} GB.`);
const notReady = (name: string, status: string) =>
  conflict(`snapshot_id: snapshot ${name} is ${status}; only available snapshots can be used.`);

/** Room that a volume takes in its cell. */
export const diskOf = (id: string, cell: string, disk_gb: number | Sql): Need => ({
  cell,
  device: id,
  amounts: { disk_gb },
});

/** The room that volumes should hold in their cells. */
export const volumeRoom = raw("SELECT cell_id, id AS device_id, 'disk_gb' AS kind, size_gb AS amount FROM volumes");

const noRoom = (gb: number) =>
  new ApiError(
    'CAPACITY_EXHAUSTED',
    `The host does not have ${gb} GB of free capacity. Choose a smaller size or try again later.`,
  );

/** Locks what the volume is made from, so that it is there until the row refers to it. */
function lockSource({ image_id, snapshot_id }: Source, cellId: string): Sql {
  if (image_id !== null) {
    return sql`${lockImage(image_id)} AS source`;
  }
  if (snapshot_id !== null) {
    return sql`LATERAL (SELECT count(*) = 1 AS ready FROM (
      SELECT s.id FROM snapshots s JOIN volumes v ON v.id = s.volume_id AND v.cell_id = ${cellId}::text
      WHERE s.id = ${snapshot_id}::uuid AND s.project_id = k.project_id AND s.status = 'available' FOR UPDATE OF s
    ) AS locked) AS source`;
  }
  return raw('(SELECT true AS ready) AS source');
}

/**
 * Makes a volume, empty or from an image or a snapshot: quota, room in the cell and row in one statement.
 * @throws ApiError in the order 404/400, 409, 402 frozen, 403 quota, 503 no room
 */
export async function createVolume(call: ProjectCall, input: CreateVolume): Promise<Volume> {
  await ensureProjectNetworking(call.project_id);
  const source = await findSource(call, input);
  const { cell_id, refusal } = await place(call.project_id, ['storage', ...(source.image_id ? ['images'] : [])]);
  const { size_gb } = input;
  const row: VolumeRow = {
    id: newId(),
    name: input.name,
    description: input.description,
    size_gb,
    status: 'creating',
    status_reason: null,
    image_id: source.image_id,
    snapshot_id: source.snapshot_id,
    cell_id: cell_id ?? '',
    attachments: [],
    snapshot_count: 0,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = viewVolume(row);
  const { attachments: _, snapshot_count: __, ...stored } = row;
  const target =
    cell_id === null
      ? raw('SELECT true AS allowed, NULL::text AS state FROM k')
      : sql`SELECT ${isRoutedIn(cell_id)} AND source.ready AS allowed,
          CASE WHEN source.ready THEN 'host' ELSE 'source' END AS state
        FROM k ${joinRouter()} CROSS JOIN ${lockSource(source, cell_id)} FOR UPDATE OF r`;
  await commit(call, {
    resource: { type: 'volume', id: row.id, name: row.name },
    target,
    forbidden: (state) =>
      state === 'source'
        ? 'The image or snapshot that the volume is created from is no longer available.'
        : 'The project has just been assigned another host. Try again.',
    claims: [
      { dimension: 'storage_tb', amount: sql`${size_gb}::numeric / 1024` },
      { dimension: 'volumes', amount: 1 },
    ],
    freezable: true,
    needs: cell_id === null ? [] : [diskOf(row.id, cell_id, size_gb)],
    room: { fits: raw(refusal ? 'false' : 'true'), refusal: refusal ?? noRoom(size_gb) },
    rows: {
      device: deviceInsert(call.project_id, row.id, 'volume'),
      volume: insert<Prisma.VolumeUncheckedCreateInput>(
        'volumes',
        { ...stored, project_id: call.project_id, image_owner_id: source.image_owner_id },
        ifAdmitted,
      ),
      ...(cell_id === null ? {} : { settled: settleRouter(call.project_id, cell_id) }),
    },
    operation: createVolumeKind.start(row.id, {}, row),
    details: { size_gb, ...(source.image_id ? { image_id: source.image_id } : {}), ...snapshotDetail(source) },
    answer: { status: 201, body: created },
  });
  return created;
}

const snapshotDetail = ({ snapshot_id }: Source) => (snapshot_id === null ? {} : { snapshot_id });

/** @throws ApiError 409 while it is resized, 400 for less than it has */
export function requireLarger(row: VolumeRow, size_gb: number): void {
  // While it grows, the row has the size it will have: what is wrong with a second request is its moment.
  if (row.status === 'resizing')
    throw conflict(`Volume ${row.name} is already being resized; wait until that is done.`);
  if (size_gb <= row.size_gb) {
    throw invalid(`size_gb: volume ${row.name} has ${row.size_gb} GB; a volume can only be enlarged.`);
  }
}

/**
 * Makes a volume larger, in place and also while it is attached; it claims the difference to what the row has now.
 * @throws ApiError 404, 400 for less than it has, 409, 402 frozen, 403 quota, 503 no room
 */
export async function resizeVolume(call: ProjectCall, id: string, size_gb: number): Promise<Volume> {
  const row = await readVolumeRow(call, id);
  requireLarger(row, size_gb);
  const changed = viewVolume({ ...row, size_gb, status: 'resizing', status_reason: null, updated_at: call.at });
  await commit(call, {
    resource: { type: 'volume', id, name: row.name },
    // `from_gb` is what the operation goes back to, so that the size must still be the one that was read.
    target: sql`SELECT v.status IN ('available', 'in_use') AND v.size_gb = ${row.size_gb}::int AS allowed, v.status AS state,
        v.size_gb
      FROM k JOIN volumes v ON v.project_id = k.project_id AND v.id = ${id}::uuid FOR UPDATE OF v`,
    forbidden: (state) =>
      state === 'available' || state === 'in_use'
        ? `The size of volume ${row.name} has just changed; read it again.`
        : `Volume ${row.name} is ${state}; resizing requires it to be available or in_use.`,
    claims: [{ dimension: 'storage_tb', amount: sql`(${size_gb}::numeric - target.size_gb) / 1024` }],
    freezable: true,
    needs: [diskOf(id, row.cell_id, sql`${size_gb}::int - target.size_gb`)],
    room: { fits: raw('true'), refusal: noRoom(size_gb - row.size_gb) },
    rows: {
      volume: sql`UPDATE volumes SET size_gb = ${size_gb}::int, status = 'resizing', status_reason = NULL,
        updated_at = ${call.at}::timestamptz FROM verdict WHERE verdict.ok AND volumes.id = ${id}::uuid`,
    },
    operation: resizeKind.start(id, { from_gb: row.size_gb }, { cell_id: row.cell_id }),
    details: { from_gb: row.size_gb, size_gb },
    answer: { status: 202, body: changed },
  });
  return changed;
}

/** Renames a volume in any state. @throws ApiError 404 */
export async function renameVolume(call: ProjectCall, id: string, name: string): Promise<Volume> {
  const row = await readVolumeRow(call, id);
  const renamed = await renameResource(call, 'volumes', { type: 'volume', id }, name);
  return viewVolume({ ...row, ...renamed });
}

/**
 * Deletes a volume that is in no instance and that no snapshot is of; the quota comes back when it is gone.
 * @throws ApiError 404, 409 that names what stands on it
 */
export async function deleteVolume(call: ProjectCall, id: string): Promise<Volume> {
  const row = await readVolumeRow(call, id);
  const changed = viewVolume({ ...row, status: 'deleting', status_reason: null, updated_at: call.at });
  await commit(call, {
    resource: { type: 'volume', id, name: row.name },
    target: sql`SELECT dependants.named IS NULL AS allowed, dependants.named AS state
      FROM (SELECT v.id FROM k JOIN volumes v ON v.project_id = k.project_id AND v.id = ${id}::uuid FOR UPDATE OF v) AS locked
      CROSS JOIN LATERAL volume_dependants(locked.id) AS dependants (named)`,
    forbidden: (dependants) =>
      dependants.startsWith('attached')
        ? `Volume ${row.name} is ${dependants}: detach it first.`
        : `Volume ${row.name} is ${dependants}: delete those first.`,
    rows: {
      volume: sql`UPDATE volumes SET status = 'deleting', status_reason = NULL, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND volumes.id = ${id}::uuid`,
    },
    operation: deleteVolumeKind.start(id, {}, { cell_id: row.cell_id }),
  });
  return changed;
}
