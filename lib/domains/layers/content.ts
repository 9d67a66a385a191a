import { join } from 'node:path';
import { conflict, invalid, notFound } from '@/lib/core/api/errors';
import { query } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/guarded';
import { settings } from '@/lib/settings';
import type { LayerRuntime } from './requirements';
import type { VersionStatus } from './schema';

/** Where versions are kept: a folder each, which nothing changes once it is there. */
export const layersFolder = () => join(settings().dataDir, 'layers');
export const versionFolder = (versionId: string) => join(layersFolder(), 'versions', versionId);

/** A version that a project may use. */
export type UsableLayer = {
  id: string;
  name: string;
  version: number;
  /** The runtime of its requirements; null: any. */
  runtime: LayerRuntime | null;
  sha256: string;
  size_bytes: number;
  /** Its files, read-only. */
  folder: string;
};

type Row = Omit<UsableLayer, 'folder' | 'sha256'> & {
  sha256: string | null;
  status: VersionStatus;
  content_id: string;
};

/**
 * The versions of layers that a function names, in its order. A project may use versions of its own layers, of those that
 * are shared with it or with everyone, and those that the function uses already, whatever has become of them since.
 * @param functionId the function, where it is there already
 * @throws ApiError 400 for a malformed id, 404 for a version that the project may not use, 409 for one that is not ready
 */
export async function usableLayers(
  projectId: string,
  versionIds: readonly string[],
  functionId?: string,
): Promise<UsableLayer[]> {
  if (versionIds.length === 0) return [];
  const malformed = versionIds.find((id) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id));
  if (malformed !== undefined) throw notFound('The layer version');
  if (new Set(versionIds).size < versionIds.length) throw invalid('layer_version_ids: each version at most once.');
  const rows = await query<Row>(sql`
    SELECT v.id, v.name, v.version, v.runtime, v.sha256, v.size_bytes::float8 AS size_bytes, v.status,
      coalesce(v.same_as, v.id) AS content_id
    FROM layer_versions v WHERE v.id = ANY (${versionIds}::uuid[]) AND (
      (v.status <> 'deleted' AND (v.project_id = ${projectId}::uuid OR EXISTS (
        SELECT FROM layer_permissions p WHERE p.layer_id = v.layer_id
          AND (p.grantee_id IS NULL OR p.grantee_id = ${projectId}::uuid))))
      OR EXISTS (SELECT FROM layer_uses u WHERE u.version_id = v.id AND u.project_id = ${projectId}::uuid
        AND u.function_id = ${functionId ?? null}::uuid))`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return versionIds.map((id) => usable(byId.get(id.toLowerCase())));
}

function usable(row: Row | undefined): UsableLayer {
  if (!row) throw notFound('The layer version');
  const { status, content_id, sha256, ...facts } = row;
  if (sha256 === null || status === 'building' || status === 'error') {
    throw conflict(
      `Version ${row.version} of layer ${row.name} is ${status === 'building' ? 'building' : 'not usable'}.`,
    );
  }
  return { ...facts, sha256, folder: versionFolder(content_id) };
}

/**
 * The folders of a function's layers on this host,, in its order.
 * @throws ApiError as `usableLayers`
 */
export async function layerFolders(
  projectId: string,
  versionIds: readonly string[],
  functionId?: string,
): Promise<string[]> {
  return (await usableLayers(projectId, versionIds, functionId)).map(({ folder }) => folder);
}

/**
 * For the rows of a function's change: notes which versions it uses from now on. Earlier ones stay noted, because a rollback
 * may need them.
 */
export function noteLayerUses(functionId: string, projectId: string, versionIds: readonly string[]): Sql {
  return sql`INSERT INTO layer_uses (function_id, version_id, project_id)
    SELECT ${functionId}::uuid, v.id, ${projectId}::uuid FROM layer_versions v CROSS JOIN ${ifAdmitted}
      AND v.id = ANY (${versionIds}::uuid[]) ON CONFLICT DO NOTHING`;
}

/** For the rows of a function's deletion: it uses no version any more. */
export function endLayerUses(functionId: string): Sql {
  return sql`DELETE FROM layer_uses USING ${ifAdmitted} AND layer_uses.function_id = ${functionId}::uuid`;
}
