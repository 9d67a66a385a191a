import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid, notFound } from '@/lib/core/api/errors';
import type { Asked } from '@/lib/core/api/list';
import type { Page } from '@/lib/core/api/pagination';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { settings } from '@/lib/settings';
import type {
  ChangeLayer,
  CreateLayer,
  Layer,
  LayerPermission,
  LayerVersion,
  layerQuery,
  permissionQuery,
  ShareLayer,
  UnshareQuery,
  VersionLog,
  versionQuery,
} from './schema';
import { layerLists, listPermissions, listVersions, readLayer, readOwnLayer } from './view';

/** The project's own layers, or those that others share. */
export function listLayers(call: ProjectCall, query: Asked<typeof layerQuery>): Promise<Page<Layer>> {
  return layerLists[query.shared ?? 'own'](call, query);
}

const isTaken = (projectId: string, name: string, but: string | null) => sql`EXISTS (SELECT FROM layers
  WHERE project_id = ${projectId}::uuid AND name = ${name}::text AND id IS DISTINCT FROM ${but}::uuid)`;

const takenName = (name: string) => `name: a layer named "${name}" already exists in this project.`;

/** Creates a layer without versions. @throws ApiError 409 when the name is taken or the project has too many */
export async function createLayer(call: ProjectCall, { name, description }: CreateLayer): Promise<Layer> {
  const project = await queryOne<{ slug: string }>(sql`SELECT slug FROM projects WHERE id = ${call.project_id}::uuid`);
  const row = { id: newId(), name, description, status: 'active' as const };
  const created: Layer = {
    ...row,
    owner: project?.slug ?? '',
    is_own: true,
    is_public: false,
    shared_with: 0,
    version_count: 0,
    latest_version: null,
    created_at: call.at.toISOString(),
    updated_at: call.at.toISOString(),
  };
  await commit(call, {
    resource: { type: 'layer', id: row.id, name },
    taken: { when: isTaken(call.project_id, name, null), message: takenName(name) },
    caps: [
      {
        held: sql`layers_held(k.project_id)`,
        most: settings().layersPerProject,
        setting: 'LAYERS_PER_PROJECT',
        holder: 'The project has',
        things: 'layers',
      },
    ],
    rows: {
      layer: insert<Prisma.LayerUncheckedCreateInput>(
        'layers',
        { ...row, project_id: call.project_id, created_at: call.at, updated_at: call.at },
        ifAdmitted,
      ),
    },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Locks a layer of the caller's project. */
const ownLayer = (id: string) => sql`SELECT true AS allowed, NULL::text AS state FROM k
  JOIN layers l ON l.project_id = k.project_id WHERE l.id = ${id}::uuid FOR UPDATE OF l`;

/** Changes a layer's name or description. @throws ApiError 404, 409 when the name is taken */
export async function changeLayer(call: ProjectCall, id: string, change: ChangeLayer): Promise<Layer> {
  const before = await readOwnLayer(call, id);
  const { name, description } = { ...before, ...change };
  await commit(call, {
    resource: { type: 'layer', id, name: before.name },
    target: ownLayer(id),
    taken: { when: isTaken(call.project_id, name, id), message: takenName(name) },
    rows: {
      layer: sql`UPDATE layers SET name = ${name}::text, description = ${description}::text, updated_at = ${call.at}::timestamptz
        FROM ${ifAdmitted} AND layers.id = ${id}::uuid`,
    },
    details: { ...change },
  });
  return { ...before, name, description, updated_at: call.at.toISOString() };
}

/** Deletes a layer with its versions. Functions that use one go on. @throws ApiError 404 */
export async function deleteLayer(call: ProjectCall, id: string): Promise<void> {
  const { name } = await readOwnLayer(call, id);
  await commit(call, {
    resource: { type: 'layer', id, name },
    target: ownLayer(id),
    rows: {
      // The versions go on without their layer until no function uses them.
      versions: sql`UPDATE layer_versions SET ${retired(call)}, layer_id = NULL FROM ${ifAdmitted}
        AND layer_versions.layer_id = ${id}::uuid`,
      layer: sql`DELETE FROM layers USING ${ifAdmitted} AND layers.id = ${id}::uuid`,
    },
  });
}

const retired = (call: ProjectCall): Sql => sql`status = 'deleted', status_reason = NULL,
  deleted_at = coalesce(layer_versions.deleted_at, ${call.at}::timestamptz), updated_at = ${call.at}::timestamptz`;

/** The versions of a layer, newest first. @throws ApiError 404 */
export async function versionsOf(
  call: ProjectCall,
  id: string,
  query: Asked<typeof versionQuery>,
): Promise<Page<LayerVersion>> {
  await readLayer(call, id);
  return listVersions(id)(call, query);
}

/** What the builder of a version said. @throws ApiError 404, also for others' layers */
export async function readLog(call: ProjectCall, id: string, versionId: string): Promise<VersionLog> {
  const row = await queryOne<VersionLog>(sql`SELECT log FROM layer_versions WHERE project_id = ${call.project_id}::uuid
    AND layer_id = ${id}::uuid AND id = ${versionId}::uuid AND status <> 'deleted'`);
  if (!row) throw notFound('The version');
  return row;
}

/** Takes a version back. Functions that use it go on. @throws ApiError 404 */
export async function deleteVersion(call: ProjectCall, id: string, versionId: string): Promise<void> {
  const row = await queryOne<{ name: string; version: number }>(sql`SELECT name, version FROM layer_versions
    WHERE project_id = ${call.project_id}::uuid AND layer_id = ${id}::uuid AND id = ${versionId}::uuid AND status <> 'deleted'`);
  if (!row) throw notFound('The version');
  await commit(call, {
    resource: { type: 'layer', id, name: row.name },
    details: { version_id: versionId, version: row.version },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN layer_versions v ON v.project_id = k.project_id
      WHERE v.id = ${versionId}::uuid AND v.status <> 'deleted' FOR UPDATE OF v`,
    rows: {
      version: sql`UPDATE layer_versions SET ${retired(call)} FROM ${ifAdmitted} AND layer_versions.project_id = ${call.project_id}::uuid
        AND (layer_versions.id = ${versionId}::uuid OR layer_versions.same_as = ${versionId}::uuid)`,
    },
  });
}

/** Who may use a layer of the project's own. @throws ApiError 404 */
export async function permissionsOf(
  call: ProjectCall,
  id: string,
  query: Asked<typeof permissionQuery>,
): Promise<Page<LayerPermission>> {
  await readOwnLayer(call, id);
  return listPermissions(id)(call, query);
}

/**
 * Lets a project, or everyone, use a layer. Says nothing about whether there is such a project; a repeated grant is the
 * same one.
 * @throws ApiError 404
 */
export async function shareLayer(call: ProjectCall, id: string, given: ShareLayer): Promise<LayerPermission> {
  const { name } = await readOwnLayer(call, id);
  const grantee = given.project_id?.toLowerCase() ?? null;
  const grant = await queryOne<{ id: string; created_at: Date }>(sql`SELECT id, created_at FROM layer_permissions
    WHERE layer_id = ${id}::uuid AND grantee_id IS NOT DISTINCT FROM ${grantee}::uuid`);
  const { id: grantId, created_at } = grant ?? { id: newId(), created_at: call.at };
  const permission: LayerPermission = {
    id: grantId,
    project_id: grantee,
    public: grantee === null,
    created_at: created_at.toISOString(),
  };
  await commit(call, {
    resource: { type: 'layer', id, name },
    target: ownLayer(id),
    rows: {
      permission: sql`INSERT INTO layer_permissions (id, layer_id, project_id, grantee_id, created_at)
        SELECT ${grantId}::uuid, ${id}::uuid, ${call.project_id}::uuid, ${grantee}::uuid, ${created_at}::timestamptz
        FROM ${ifAdmitted} ON CONFLICT DO NOTHING`,
    },
    details: { project_id: grantee, public: grantee === null },
    answer: { status: 201, body: permission },
  });
  return permission;
}

/** Takes a permission back. Functions that use the layer go on. No error where there was none. @throws ApiError 404 */
export async function unshareLayer(call: ProjectCall, id: string, query: UnshareQuery): Promise<void> {
  const { name } = await readOwnLayer(call, id);
  if ((query.project_id === undefined) === (query.public === undefined)) {
    throw invalid('Name a project_id, or set public to true.');
  }
  const grantee = query.project_id ?? null;
  await commit(call, {
    resource: { type: 'layer', id, name },
    target: ownLayer(id),
    rows: {
      permission: sql`DELETE FROM layer_permissions USING ${ifAdmitted} AND layer_permissions.layer_id = ${id}::uuid
        AND layer_permissions.grantee_id IS NOT DISTINCT FROM ${grantee}::uuid`,
    },
    details: { project_id: grantee, public: grantee === null },
  });
}
