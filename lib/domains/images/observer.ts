import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { signalChange } from '@/lib/core/db/changes';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engines } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { ownCell } from '@/lib/settings';

const ABANDONED_MS = 24 * 60 * 60_000;

/**
 * Compares the images of this host with the database, in both directions. A public image that is gone is fetched again
 * when it is needed; an upload that is gone is in error; what a deletion or an upload that broke off left is removed.
 */
export async function observeImages(): Promise<void> {
  const cellId = ownCell();
  const rows = await query<{ id: string }>(sql`
    SELECT id FROM images WHERE status = 'active' AND ((project_id IS NOT NULL AND source ->> 'cell_id' = ${cellId}::text)
      OR (project_id IS NULL AND NOT EXISTS (SELECT FROM cells WHERE id <> ${cellId}::text)))`);
  const held = (await engines().images.observeImages()).map(({ id }) => id);
  const lost = rows.filter(({ id }) => !held.includes(id)).map(({ id }) => id);
  if (lost.length > 0) await noteLost(lost);
  await removeDeleted(held);
  await removeAbandoned();
}

async function noteLost(ids: readonly string[]): Promise<void> {
  const noted = await query<{ id: string }>(sql`
    WITH noted AS (
      UPDATE images SET status = CASE WHEN project_id IS NULL THEN 'queued' ELSE 'error' END, updated_at = platform_now(),
        status_reason = CASE WHEN project_id IS NULL THEN NULL ELSE 'Its file is no longer on the host. Upload it again.' END
      WHERE id = ANY (${ids}::uuid[]) AND status = 'active' RETURNING id, project_id
    ), hinted AS (
      INSERT INTO changes (project_id, topic, resource_id, at) SELECT project_id, 'image', id::text, platform_now() FROM noted
    ) SELECT id FROM noted`);
  for (const { id } of noted) log.error({ image: id }, 'an image is no longer on the host');
  if (noted.length > 0) signalChange();
}

/** Only what this database remembers deleting: what it never knew may be someone's, after a restored backup. */
async function removeDeleted(held: readonly string[]): Promise<void> {
  if (held.length === 0) return;
  const deleted = await query<{ id: string }>(sql`
    SELECT held.id FROM unnest(${held}::uuid[]) AS held (id)
    WHERE NOT EXISTS (SELECT FROM images m WHERE m.id = held.id)
      AND EXISTS (SELECT FROM operations o WHERE o.resource_id = held.id AND o.kind = 'image.delete'
        AND o.status IN ('succeeded', 'failed'))`);
  for (const { id } of deleted) {
    await engines()
      .images.removeImage(id)
      .catch((error) => log.warn({ err: error, image: id }, 'a deleted image could not be removed'));
  }
}

/** Files of uploads whose process died, and of fetches that nobody takes up again. */
async function removeAbandoned(): Promise<void> {
  const directory = await engines().images.uploadDirectory();
  for (const name of await readdir(directory)) {
    const file = join(directory, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs < ABANDONED_MS) continue;
    const id = name.replace(/\.part$/, '');
    const wanted = await query(sql`SELECT FROM images WHERE id::text = ${id}::text AND status = 'importing'`);
    if (wanted.length > 0) continue;
    log.warn({ file }, 'removing a file left behind by an upload');
    await rm(file, { force: true });
  }
}
