import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf } from '@/lib/core/api/list';
import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { hasTags } from '@/lib/core/tags/filter';
import { type Layer, type LayerVersion, layerQuery, permissionQuery, versionQuery } from './schema';

type Row = Omit<Layer, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const usable = `SELECT v.id, v.version, v.runtime, v.size_bytes FROM layer_versions v
  WHERE v.layer_id = l.id AND v.status = 'ready' AND v.same_as IS NULL`;

const columns = ({ project_id }: ProjectCall) => sql`l.id, l.name, l.description, l.status, o.slug AS owner,
  l.project_id = ${project_id}::uuid AS is_own,
  EXISTS (SELECT FROM layer_permissions p WHERE p.layer_id = l.id AND p.grantee_id IS NULL) AS is_public,
  CASE WHEN l.project_id = ${project_id}::uuid THEN (SELECT count(*)::int FROM layer_permissions p
    WHERE p.layer_id = l.id AND p.grantee_id IS NOT NULL) END AS shared_with,
  (SELECT count(*)::int FROM (${raw(usable)}) AS versions) AS version_count,
  (SELECT jsonb_build_object('id', id, 'version', version, 'runtime', runtime, 'size_bytes', size_bytes)
    FROM (${raw(usable)}) AS versions ORDER BY version DESC LIMIT 1) AS latest_version,
  l.created_at, l.updated_at`;

const from = raw('layers l JOIN projects o ON o.id = l.project_id');

const isGrantedTo = (grantee: Sql) =>
  sql`EXISTS (SELECT FROM layer_permissions p WHERE p.layer_id = l.id AND p.grantee_id ${grantee})`;

/** The layers that a project may use: its own, and those that are shared with it or with everyone. */
export const mayUse = ({ project_id }: ProjectCall) => sql`(l.project_id = ${project_id}::uuid
  OR ${isGrantedTo(sql`= ${project_id}::uuid`)} OR ${isGrantedTo(raw('IS NULL'))})`;

const view = (row: Row): Layer => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const list = (where: (call: ProjectCall) => Sql, tag: (filters: readonly string[]) => Sql) =>
  listOf({
    query: layerQuery,
    columns,
    from,
    id: 'l.id',
    where,
    filters: {
      name: equals('l.name'),
      search: contains('l.name'),
      shared: () => raw('true'),
      tag,
    },
    sort: { name: 'l.name' },
    view,
  });

/** Nobody sees or finds anything by the tags of another project. */
const othersTags = () => raw('false');

/** The project's own layers, those shared with it, and those shared with everyone. */
export const layerLists = {
  own: list(({ project_id }) => sql`l.project_id = ${project_id}::uuid`, hasTags('l')),
  with_me: list(
    ({ project_id }) => sql`l.project_id <> ${project_id}::uuid AND ${isGrantedTo(sql`= ${project_id}::uuid`)}`,
    othersTags,
  ),
  public: list(
    ({ project_id }) => sql`l.project_id <> ${project_id}::uuid AND ${isGrantedTo(raw('IS NULL'))}`,
    othersTags,
  ),
};

/** A layer that the project may use. @throws ApiError 404 */
export async function readLayer(call: ProjectCall, id: string): Promise<Layer> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns(call)} FROM ${from} WHERE l.id = ${id}::uuid AND ${mayUse(call)}`,
  );
  if (!row) throw notFound('The layer');
  return view(row);
}

/** A layer of the project's own. @throws ApiError 404 for those of others too */
export async function readOwnLayer(call: ProjectCall, id: string): Promise<Layer> {
  const found = await readLayer(call, id);
  if (!found.is_own) throw notFound('The layer');
  return found;
}

type VersionRow = Omit<LayerVersion, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const versionColumns = raw(`v.id, v.layer_id, v.version, v.status, v.status_reason, v.source, v.runtime, v.requirements,
  v.sha256, v.archive_sha256, v.size_bytes::float8 AS size_bytes, v.files AS file_count, v.lockfile, v.same_as,
  v.created_at, v.updated_at`);

const versionView = (row: VersionRow): LayerVersion => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** The versions of a layer that the project may use: others' only when they are ready. */
export const listVersions = (layerId: string) =>
  listOf({
    query: versionQuery,
    columns: versionColumns,
    from: raw('layer_versions v JOIN layers l ON l.id = v.layer_id'),
    id: 'v.id',
    where: (call: ProjectCall) => sql`v.layer_id = ${layerId}::uuid AND ${mayUse(call)} AND v.same_as IS NULL
      AND (v.status = 'ready' OR (v.status <> 'deleted' AND v.project_id = ${call.project_id}::uuid))`,
    filters: { status: equals('v.status') },
    sort: { version: { column: 'v.version', type: 'numeric' } },
    view: versionView,
  });

/** A version of a layer that the project may use, also one with the content of another. @throws ApiError 404 */
export async function readVersion(call: ProjectCall, layerId: string, id: string): Promise<LayerVersion> {
  const row =
    await queryOne<VersionRow>(sql`SELECT ${versionColumns} FROM layer_versions v JOIN layers l ON l.id = v.layer_id
    WHERE v.layer_id = ${layerId}::uuid AND v.id = ${id}::uuid AND ${mayUse(call)}
      AND (v.status = 'ready' OR (v.status <> 'deleted' AND v.project_id = ${call.project_id}::uuid))`);
  if (!row) throw notFound('The version');
  return versionView(row);
}

type PermissionRow = { id: string; project_id: string | null; created_at: Date };

/** Who may use a layer of the project's own. */
export const listPermissions = (layerId: string) =>
  listOf({
    query: permissionQuery,
    columns: raw('p.id, p.grantee_id AS project_id, p.created_at'),
    from: raw('layer_permissions p'),
    id: 'p.id',
    where: (call: ProjectCall) => sql`p.layer_id = ${layerId}::uuid AND p.project_id = ${call.project_id}::uuid`,
    filters: {},
    sort: {},
    view: (row: PermissionRow) => ({
      ...row,
      public: row.project_id === null,
      created_at: row.created_at.toISOString(),
    }),
  });
