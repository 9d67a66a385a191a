import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProjectCall, Reply, type Upload } from '@/lib/core/api/endpoint';
import { ApiError, conflict, invalid } from '@/lib/core/api/errors';
import { type FormRules, readForm } from '@/lib/core/api/form';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { withoutHostPaths } from '@/lib/engines/error';
import { storeStream } from '@/lib/files';
import { ownCell, settings } from '@/lib/settings';
import { ArchiveError, inspectArchive } from './archive';
import { layersFolder } from './content';
import { ARCHIVE_BYTES } from './limits';
import { buildVersionKind } from './operations';
import type { LayerVersion, PublishRequirements } from './schema';
import { readOwnLayer, readVersion } from './view';

/** Archives that a worker has not unpacked yet. */
export const incomingArchive = (versionId: string) => join(layersFolder(), 'incoming', `${versionId}.zip`);

type Source = { archive_sha256: string } | PublishRequirements;

/**
 * Publishes a version from a zip in a form, or from requirements as JSON. An archive that the layer has already is the
 * version that it made: 200.
 * @throws ApiError 400 for an archive or requirements that are refused, 404, 409 for too many versions, 413, 503 where
 * requirements can't be built
 */
export async function publishVersion(
  call: ProjectCall,
  layerId: string,
  requirements: PublishRequirements | undefined,
  upload: Upload | undefined,
): Promise<Reply<LayerVersion>> {
  const { name } = await readOwnLayer(call, layerId);
  const versionId = newId();
  if (requirements) {
    await requireBuilder();
    return new Reply(await register(call, layerId, versionId, name, requirements), { status: 201 });
  }
  if (!upload) throw invalid('archive: is required.');
  const file = incomingArchive(versionId);
  try {
    const archive_sha256 = await receiveArchive(upload, file, call.signal);
    await inspect(file);
    const known = await queryOne<{ id: string }>(sql`SELECT coalesce(same_as, id) AS id FROM layer_versions
      WHERE layer_id = ${layerId}::uuid AND archive_sha256 = ${archive_sha256}::text AND status IN ('building', 'ready')`);
    if (known) {
      await rm(file, { force: true });
      return new Reply(await readVersion(call, layerId, known.id), { status: 200 });
    }
    return new Reply(await register(call, layerId, versionId, name, { archive_sha256 }), { status: 201 });
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** What only wastes a build is refused before it. */
async function requireBuilder(): Promise<void> {
  const found = await queryOne<{ message: string }>(sql`SELECT message FROM engine_reports
    WHERE cell_id = ${ownCell()}::text AND engine = 'services' AND status = 'unavailable'`);
  if (found) throw new ApiError('ENGINE_UNAVAILABLE', withoutHostPaths(found.message));
}

async function inspect(file: string): Promise<void> {
  try {
    await inspectArchive(file);
  } catch (error) {
    if (error instanceof ArchiveError) throw invalid(`archive: ${error.message}`);
    throw error;
  }
}

const tooLarge = () => new ApiError('PAYLOAD_TOO_LARGE', `The archive is larger than ${ARCHIVE_BYTES / 1_000_000} MB.`);

/** Streams the archive to the disk. @returns its SHA-256 in hex */
async function receiveArchive(upload: Upload, file: string, signal: AbortSignal): Promise<string> {
  await mkdir(join(layersFolder(), 'incoming'), { recursive: true, mode: 0o700 });
  const rules: FormRules<{ sha256: string }> = {
    file: 'archive',
    fields: 1,
    fieldBytes: 1024,
    onField: (name) => {
      throw invalid(`${name.slice(0, 80)}: the form has one part, a file named archive.`);
    },
    receive: (content, ended) =>
      storeStream(content, file, { limit: { most: ARCHIVE_BYTES, tooLarge }, signal: ended }),
  };
  const received = await readForm(upload, rules, signal);
  if (!received) throw invalid('archive: is required.');
  return received.sha256;
}

async function register(
  call: ProjectCall,
  layerId: string,
  versionId: string,
  name: string,
  source: Source,
): Promise<LayerVersion> {
  const { runtime, requirements } = 'runtime' in source ? source : { runtime: null, requirements: null };
  const archive_sha256 = 'archive_sha256' in source ? source.archive_sha256 : null;
  const kind = archive_sha256 === null ? 'requirements' : 'archive';
  const cell = ownCell();
  await commit(call, {
    resource: { type: 'layer', id: layerId, name },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k
      JOIN layers l ON l.project_id = k.project_id WHERE l.id = ${layerId}::uuid FOR UPDATE OF l`,
    caps: [
      {
        held: sql`layer_versions_held(${layerId}::uuid)`,
        most: settings().versionsPerLayer,
        setting: 'VERSIONS_PER_LAYER',
        holder: 'The layer has',
        things: 'versions',
      },
    ],
    rows: {
      numbered: sql`UPDATE layers SET last_version = layers.last_version + 1, updated_at = ${call.at}::timestamptz
        FROM ${ifAdmitted} AND layers.id = ${layerId}::uuid RETURNING layers.last_version`,
      version: sql`INSERT INTO layer_versions (id, project_id, layer_id, cell_id, name, version, status, source, runtime,
          requirements, archive_sha256, created_at, updated_at)
        SELECT ${versionId}::uuid, ${call.project_id}::uuid, ${layerId}::uuid, ${cell}::text, ${name}::text, numbered.last_version,
          'building', ${kind}::text, ${runtime}::text, ${requirements === null ? null : JSON.stringify(requirements)}::jsonb,
          ${archive_sha256}::text, ${call.at}::timestamptz, ${call.at}::timestamptz FROM numbered`,
    },
    operation: buildVersionKind.start(versionId, {}, { cell_id: cell }),
    details: { version_id: versionId, source: kind, ...(requirements && { requirements }) },
  });
  const created = await readVersion(call, layerId, versionId).catch(() => undefined);
  if (!created) throw conflict('The layer was deleted in the same moment.');
  return created;
}
