import { conflict, noSuch } from '@/lib/core/api/errors';
import { isId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';

/** What a disk that is made from an image needs to know of it. */
export type UsableImage = {
  id: string;
  /** The project, or the nil UUID of public images; what stands on the image names it. */
  owner_id: string;
  name: string;
  default_user: string | null;
  status: 'queued' | 'saving' | 'importing' | 'active' | 'deleting' | 'error';
  min_disk_gb: number;
  min_ram_mb: number;
};

/**
 * The image that a body names, if the project may use it: its own, or a public one. It may still be on its way.
 * @throws ApiError 404 that names the field, 409 when the image has failed or is being deleted
 */
export async function requireImage(projectId: string, field: string, id: string): Promise<UsableImage> {
  const found = isId(id)
    ? await queryOne<UsableImage>(sql`
        SELECT id, owner_id, name, default_user, status, min_disk_gb, min_ram_mb FROM images
        WHERE id = ${id}::uuid AND (project_id = ${projectId}::uuid OR project_id IS NULL)`)
    : undefined;
  if (!found) throw noSuch(field, 'image');
  if (found.status === 'deleting' || found.status === 'error') {
    throw conflict(`${field}: image ${found.name} is ${found.status === 'error' ? 'in error' : 'being deleted'}.`);
  }
  return found;
}

/**
 * Locks an image until the statement ends, as a table with one column `ready` for the `target` of a `commit`: true while
 * the project may still use the image. It refers to `k` and so waits for the project's lock, which a delete takes first
 * too: a delete and whatever is made from the image take turns, and the later one sees what the earlier one did.
 */
export function lockImage(imageId: string): Sql {
  return sql`LATERAL (SELECT count(*) = 1 AS ready FROM (
    SELECT m.id FROM images m WHERE m.id = ${imageId}::uuid AND (m.project_id = k.project_id OR m.project_id IS NULL)
      AND m.status NOT IN ('deleting', 'error') FOR SHARE) AS usable)`;
}

/** The refusal where `lockImage` is not ready. */
export const imageGone = (field: string, name: string) => `${field}: image ${name} is no longer available.`;
