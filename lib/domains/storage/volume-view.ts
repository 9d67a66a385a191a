import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { joinInstance } from '@/lib/domains/compute/fragments';
import type { Volume } from './schema';

/** A volume as `volumeColumns` read it; times of attachments as PostgreSQL writes them into JSON. */
export type VolumeRow = Omit<Volume, 'created_at' | 'updated_at'> & {
  cell_id: string;
  created_at: Date;
  updated_at: Date;
};

/** Of `volumes v`; everything beside it in sub-selects, so that pages of any order read only what they show. */
export const volumeColumns = sql`v.id, v.name, v.description, v.size_gb, v.status, v.status_reason, v.image_id,
  v.snapshot_id, v.cell_id, v.created_at, v.updated_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('instance_id', a.instance_id, 'instance_name', i.name,
     'attached_at', a.created_at)), '[]')
   FROM volume_attachments a ${joinInstance('a.instance_id')} WHERE a.volume_id = v.id) AS attachments,
  (SELECT count(*)::int FROM snapshots s WHERE s.volume_id = v.id) AS snapshot_count`;

/** The volume on the wire. */
export function viewVolume({ cell_id: _, ...row }: VolumeRow): Volume {
  return {
    ...row,
    attachments: row.attachments.map((attachment) => ({
      ...attachment,
      attached_at: new Date(attachment.attached_at).toISOString(),
    })),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** @throws ApiError 404 */
export async function readVolumeRow(call: ProjectCall, id: string): Promise<VolumeRow> {
  const row = await queryOne<VolumeRow>(
    sql`SELECT ${volumeColumns} FROM volumes v WHERE v.project_id = ${call.project_id}::uuid AND v.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The volume');
  return row;
}
