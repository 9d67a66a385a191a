import type { ProjectCall } from '@/lib/core/api/endpoint';
import { query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/commit';

/** Those volumes of the project. */
export const volumesAmong = (call: ProjectCall, ids: readonly string[]) =>
  query<{ id: string; name: string; status: string }>(sql`
    SELECT id, name, status FROM volumes WHERE project_id = ${call.project_id}::uuid AND id = ANY (${ids}::uuid[])`);

/**
 * How many of these volumes are available on the host, each locked, as a table `locked_volumes (ready)` for the `target`
 * of a statement whose `k` names the project.
 */
export function lockVolumes(volumeIds: readonly string[], cellId: string): Sql {
  if (volumeIds.length === 0) return raw('(SELECT 0 AS ready) AS locked_volumes');
  return sql`LATERAL (SELECT count(*)::int AS ready FROM (
      SELECT v.id FROM volumes v WHERE v.project_id = k.project_id AND v.id = ANY (${volumeIds}::uuid[])
        AND v.status = 'available' AND v.cell_id = ${cellId}::text ORDER BY v.id FOR UPDATE
    ) AS available_volumes) AS locked_volumes`;
}

/** Puts locked volumes into a new instance, by statements that hang on the verdict. */
export function attachedFromTheStart(volumeIds: readonly string[], instanceId: string, at: Date): Record<string, Sql> {
  if (volumeIds.length === 0) return {};
  return {
    attachments: sql`INSERT INTO volume_attachments (volume_id, project_id, instance_id, created_at)
      SELECT v.id, v.project_id, ${instanceId}::uuid, ${at}::timestamptz FROM volumes v, ${ifAdmitted}
      AND v.id = ANY (${volumeIds}::uuid[])`,
    volumes: sql`UPDATE volumes SET status = 'in_use', updated_at = ${at}::timestamptz FROM verdict
      WHERE verdict.ok AND volumes.id = ANY (${volumeIds}::uuid[])`,
  };
}

/** Takes all volumes out of an instance whose machine is gone. */
export function detachedFromGone(instanceId: string): Record<string, Sql> {
  return {
    detached: sql`DELETE FROM volume_attachments a USING verdict WHERE verdict.ok AND a.instance_id = ${instanceId}::uuid`,
    volumes: sql`UPDATE volumes SET status = 'available', updated_at = platform_now() FROM verdict, volume_attachments a
      WHERE verdict.ok AND a.instance_id = ${instanceId}::uuid AND volumes.id = a.volume_id
        AND volumes.status IN ('in_use', 'attaching', 'detaching')`,
  };
}
