import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, noSuch, notFound } from '@/lib/core/api/errors';
import { contains, equals, equalsId, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { settings } from '@/lib/settings';
import { createSnapshotKind, deleteSnapshotKind } from './operations';
import { type CreateSnapshot, type Snapshot, snapshotQuery } from './schema';

type Row = Omit<Snapshot, 'created_at' | 'updated_at'> & { cell_id: string; created_at: Date; updated_at: Date };

const columns =
  raw(`s.id, s.name, s.description, s.volume_id, v.name AS volume_name, s.size_gb, s.status, s.status_reason,
  v.cell_id, s.created_at, s.updated_at`);
const tables = raw('snapshots s JOIN volumes v ON v.id = s.volume_id');

function view({ cell_id: _, ...row }: Row): Snapshot {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/** The project's snapshots. */
export const listSnapshots = listOf({
  query: snapshotQuery,
  columns,
  from: tables,
  id: 's.id',
  where: ofProject('s'),
  filters: {
    name: equals('s.name'),
    search: contains('s.name'),
    status: equals('s.status'),
    volume_id: equalsId('s.volume_id'),
    tag: hasTags('s'),
  },
  sort: { name: 's.name' },
  view,
});

async function readRow(call: ProjectCall, id: string): Promise<Row> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM ${tables} WHERE s.project_id = ${call.project_id}::uuid AND s.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The snapshot');
  return row;
}

/** One snapshot. @throws ApiError 404 */
export async function readSnapshot(call: ProjectCall, id: string): Promise<Snapshot> {
  return view(await readRow(call, id));
}

type VolumeFacts = { id: string; name: string; size_gb: number; cell_id: string; held: number };

/** The volume of a new snapshot. @throws ApiError 404, 409 where the project has too many */
export async function requireVolume(call: ProjectCall, volume_id: string): Promise<VolumeFacts> {
  const volume = isId(volume_id)
    ? await queryOne<VolumeFacts>(sql`
        SELECT id, name, size_gb, cell_id,
          (SELECT count(*)::int FROM snapshots s WHERE s.project_id = v.project_id) AS held
        FROM volumes v WHERE v.project_id = ${call.project_id}::uuid AND v.id = ${volume_id}::uuid`)
    : undefined;
  if (!volume) throw noSuch('volume_id', 'volume');
  if (volume.held >= settings().snapshotsPerProject) {
    throw conflict(`The project has reached its limit of ${volume.held} snapshots; delete one first.`);
  }
  return volume;
}

/**
 * Freezes a volume as it is, attached or not; copy on write.
 * @throws ApiError 404, 409 when the volume is just being changed, or the project has too many
 */
export async function createSnapshot(call: ProjectCall, input: CreateSnapshot): Promise<Snapshot> {
  const volume = await requireVolume(call, input.volume_id);
  const row: Row = {
    id: newId(),
    name: input.name,
    description: input.description,
    volume_id: volume.id,
    volume_name: volume.name,
    size_gb: volume.size_gb,
    status: 'creating',
    status_reason: null,
    cell_id: volume.cell_id,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = view(row);
  const { volume_name: _, cell_id, ...stored } = row;
  await commit(call, {
    resource: { type: 'snapshot', id: row.id, name: row.name },
    target: sql`SELECT v.status IN ('available', 'in_use') AND v.size_gb = ${volume.size_gb}::int AS allowed, v.status AS state
      FROM k JOIN volumes v ON v.project_id = k.project_id AND v.id = ${volume.id}::uuid FOR UPDATE OF v`,
    forbidden: (state) =>
      `volume_id: volume ${volume.name} is ${state}; a snapshot requires it to be available or in_use.`,
    rows: {
      snapshot: insert<Prisma.SnapshotUncheckedCreateInput>(
        'snapshots',
        { ...stored, project_id: call.project_id },
        ifAdmitted,
      ),
    },
    operation: createSnapshotKind.start(row.id, {}, { cell_id }),
    details: { volume_id: volume.id, volume: volume.name },
    answer: { status: 201, body: created },
  });
  return created;
}

/**
 * Deletes a snapshot; volumes that were made from it stay whole.
 * @throws ApiError 404, 409 while a volume is just being made from it
 */
export async function deleteSnapshot(call: ProjectCall, id: string): Promise<Snapshot> {
  const row = await readRow(call, id);
  await commit(call, {
    resource: { type: 'snapshot', id, name: row.name },
    target: sql`SELECT dependants.named IS NULL AS allowed, dependants.named AS state
      FROM (SELECT s.id FROM k JOIN snapshots s ON s.project_id = k.project_id AND s.id = ${id}::uuid FOR UPDATE OF s) AS locked
      CROSS JOIN LATERAL snapshot_dependants(locked.id) AS dependants (named)`,
    forbidden: (volume) => `Volume ${volume} is being created from snapshot ${row.name}: wait until it is available.`,
    rows: {
      snapshot: sql`UPDATE snapshots SET status = 'deleting', status_reason = NULL, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND snapshots.id = ${id}::uuid`,
    },
    operation: deleteSnapshotKind.start(id, {}, { cell_id: row.cell_id }),
  });
  return view({ ...row, status: 'deleting', status_reason: null, updated_at: call.at });
}
