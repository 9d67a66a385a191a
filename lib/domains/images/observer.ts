import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { writeRepair } from '@/lib/core/operations/repair';
import { handleStrays } from '@/lib/core/resources/strays';
import { engineOf } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import type { ImageEngine } from './engine';

const ABANDONED_MS = 24 * 60 * 60_000;

type Known = { id: string; project_id: string | null };

/**
 * Compares the images of a cell with the database, in both directions. A public image that is gone is fetched again
 * when it is needed; an upload that is gone is in error; what a deletion or an upload that broke off left is removed.
 */
export async function observeImages(cell: string): Promise<void> {
  const { images } = engineOf(cell);
  const rows = await query<Known>(sql`
    SELECT id, project_id FROM images WHERE status = 'active' AND ((project_id IS NOT NULL AND source ->> 'cell_id' = ${cell}::text)
      OR (project_id IS NULL AND NOT EXISTS (SELECT FROM cells WHERE id <> ${cell}::text)))`);
  const held = (await images.observeImages()).map(({ id }) => id);
  for (const row of rows) if (!held.includes(row.id)) await noteLost(row);
  await handleStrays({ cell, type: 'image', table: 'images' }, held, { remove: (id) => images.removeImage(id) });
  await removeAbandoned(images);
}

async function noteLost({ id, project_id }: Known): Promise<void> {
  const lost =
    project_id === null
      ? sql`status = 'queued', status_reason = NULL`
      : sql`status = 'error', status_reason = 'Its file is no longer on the host. Upload it again.'`;
  const noted = await writeRepair({
    resource: { type: 'image', id },
    project_id,
    unchanged: sql`FROM k JOIN images m ON m.project_id IS NOT DISTINCT FROM k.project_id
      WHERE m.id = ${id}::uuid AND m.status = 'active' FOR UPDATE OF m`,
    change: sql`UPDATE images SET ${lost}, updated_at = platform_now() FROM verdict WHERE verdict.ok AND images.id = ${id}::uuid`,
  });
  if (noted) log.error({ image: id }, 'an image is no longer on the host');
}

/** Bytes of uploads whose process died, and of abandoned downloads. */
async function removeAbandoned(images: ImageEngine): Promise<void> {
  for (const { id, writtenAt } of await images.observeReceived()) {
    if (Date.now() - writtenAt.getTime() < ABANDONED_MS) continue;
    const wanted = await query(sql`SELECT FROM images WHERE id::text = ${id}::text AND status = 'importing'`);
    if (wanted.length > 0) continue;
    log.warn({ image: id }, 'removing what an interrupted upload left');
    await images.discardReceived(id);
  }
}
