import type { ProjectCall, Upload } from '@/lib/core/api/endpoint';
import { ApiError, conflict, invalid, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, oneOf } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { instancesOfImage } from '@/lib/domains/compute/fragments';
import { volumesOfImage } from '@/lib/domains/storage/fragments';
import { engineOf } from '@/lib/engines/engines';
import { withoutHostPaths } from '@/lib/engines/error';
import { ownCell, settings } from '@/lib/settings';
import type { ReceivedImage } from './engine';
import { deleteImageKind, importKind } from './operations';
import { type Image, type ImageFacts, imageFacts, imageQuery } from './schema';
import { receive } from './upload';

type Row = Omit<Image, 'visibility' | 'created_at' | 'updated_at'> & {
  project_id: string | null;
  cell_id: string | null;
  created_at: Date;
  updated_at: Date;
};

// A public image is used by many; a project learns of its own use alone.
const columns = (call: ProjectCall) => sql`${ownColumns},
  ${instancesOfImage(call.project_id, 'images.id')} AS instance_count,
  ${volumesOfImage(call.project_id, 'images.id')} AS volume_count`;
const ownColumns = raw(`id, project_id, name, description, format, status, status_reason, checksum_sha256,
  size_bytes::float8 AS size_bytes, received_bytes::float8 AS received_bytes, virtual_size_bytes::float8 AS virtual_size_bytes,
  min_disk_gb, min_ram_mb, os_distro, os_version, default_user, source ->> 'cell_id' AS cell_id, created_at, updated_at`);

function view({ project_id, cell_id: _, ...row }: Row): Image {
  return {
    ...row,
    visibility: project_id === null ? 'public' : 'private',
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const mayUse = (call: ProjectCall) => sql`(project_id = ${call.project_id}::uuid OR project_id IS NULL)`;

/** Certified public images, and the project's own. */
export const listImages = listOf({
  query: imageQuery,
  columns,
  from: raw('images'),
  where: mayUse,
  filters: {
    name: equals('name'),
    search: contains('name'),
    status: equals('status'),
    format: equals('format'),
    visibility: oneOf({ public: 'project_id IS NULL', private: 'project_id IS NOT NULL' }),
    tag: hasTags('images'),
  },
  sort: { name: 'name' },
  view,
});

async function readRow(call: ProjectCall, id: string): Promise<Row> {
  const row = await queryOne<Row>(sql`SELECT ${columns(call)} FROM images WHERE id = ${id}::uuid AND ${mayUse(call)}`);
  if (!row) throw notFound('The image');
  return row;
}

/** One image: metadata, checksum, status. @throws ApiError 404 */
export async function readImage(call: ProjectCall, id: string): Promise<Image> {
  return view(await readRow(call, id));
}

const heldBy = (call: ProjectCall) =>
  sql`(SELECT count(*)::int FROM images WHERE project_id = ${call.project_id}::uuid)`;

/** What only wastes an upload is refused before it. */
async function requireReady(call: ProjectCall, cellId: string): Promise<void> {
  const found = await queryOne<{ held: number; problem: string | null }>(sql`
    SELECT ${heldBy(call)} AS held, (SELECT message FROM engine_reports
      WHERE cell_id = ${cellId}::text AND engine = 'images' AND status = 'unavailable') AS problem`);
  if (found?.problem) throw new ApiError('ENGINE_UNAVAILABLE', withoutHostPaths(found.problem));
  if (found && found.held >= settings().imagesPerProject) throw conflict(tooMany());
}

const tooMany = () => `The project has reached its limit of ${settings().imagesPerProject} images; delete one first.`;

function factsOf(given: object): ImageFacts {
  const parsed = imageFacts.safeParse(given);
  if (parsed.success) return parsed.data;
  const sentences = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `Unknown field ${issue.keys.map((key) => `"${key.slice(0, 80)}"`).join(', ')}.`
      : `${issue.path.join('.')}: ${issue.message}.`,
  );
  throw invalid(sentences.join(' '));
}

/**
 * Takes an image as raw bytes, described by the query, or as a form. Its row is written once all bytes have arrived, so
 * that an interrupted upload leaves nothing; then a worker verifies the format.
 * @throws ApiError 400, 409 when the project has too many, 413, 503 when there is no room or no engine
 */
export async function uploadImage(call: ProjectCall, query: object, upload: Upload | undefined): Promise<Image> {
  if (!upload) throw invalid('file: is required.');
  const isForm = upload.content_type.toLowerCase().startsWith('multipart/');
  const described = isForm ? undefined : factsOf(query);
  if (isForm && Object.keys(query).length > 0) throw invalid('The form must include the fields name and format.');
  const cellId = ownCell();
  await requireReady(call, cellId);
  const id = newId();
  const { received, fields } = await receive(upload, { id, cell: cellId }, call.signal);
  try {
    return await register(call, id, cellId, described ?? factsOf(fields), received);
  } catch (error) {
    await engineOf(cellId).images.discardReceived(id);
    throw error;
  }
}

async function register(
  call: ProjectCall,
  id: string,
  cellId: string,
  facts: ImageFacts,
  { sizeBytes, sha256 }: ReceivedImage,
): Promise<Image> {
  const stored = {
    id,
    project_id: call.project_id,
    ...facts,
    status: 'importing' as const,
    checksum_sha256: sha256,
    size_bytes: sizeBytes,
    received_bytes: sizeBytes,
    min_disk_gb: 0,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = view({
    ...stored,
    cell_id: cellId,
    status_reason: null,
    virtual_size_bytes: null,
    os_distro: null,
    os_version: null,
    default_user: null,
    instance_count: 0,
    volume_count: 0,
  });
  await commit(call, {
    resource: { type: 'image', id, name: facts.name },
    taken: { when: sql`${heldBy(call)} >= ${settings().imagesPerProject}::int`, message: tooMany() },
    rows: {
      image: insert<Prisma.ImageUncheckedCreateInput>(
        'images',
        { ...stored, owner_id: call.project_id, source: { kind: 'upload', cell_id: cellId } },
        ifAdmitted,
      ),
    },
    operation: importKind.start(id, {}, { cell_id: cellId }),
    details: { format: facts.format, size_bytes: sizeBytes, checksum_sha256: sha256 },
    answer: { status: 201, body: created },
  });
  return created;
}

/**
 * Removes an image of the project's own.
 * @throws ApiError 404, 403 for a public one, 409 that names what stands on it
 */
export async function deleteImage(call: ProjectCall, id: string): Promise<Image> {
  const row = await readRow(call, id);
  const { cell_id } = row;
  if (row.project_id === null || cell_id === null) {
    throw new ApiError('FORBIDDEN', `Image ${row.name} is public; only the project’s own images can be deleted.`);
  }
  await commit(call, {
    resource: { type: 'image', id, name: row.name },
    target: sql`SELECT dependants.named IS NULL AS allowed, dependants.named AS state
      FROM (SELECT m.id FROM k JOIN images m ON m.project_id = k.project_id AND m.id = ${id}::uuid FOR UPDATE OF m) AS locked
      CROSS JOIN LATERAL image_dependants(locked.id) AS dependants (named)`,
    forbidden: (dependants) => `Image ${row.name} is in use: delete ${dependants} first.`,
    rows: {
      image: sql`UPDATE images SET status = 'deleting', status_reason = NULL, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND images.id = ${id}::uuid`,
    },
    operation: deleteImageKind.start(id, {}, { cell_id }),
  });
  return view({ ...row, status: 'deleting', status_reason: null, updated_at: call.at });
}
