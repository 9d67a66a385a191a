import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { reportIncident } from '@/lib/core/incidents/incident';
import { log } from '@/lib/log';
import { deleteBlob, digestOf, filesBefore, isRead, leftBefore } from './blobs';

/** Readers that have found a row open its files within this time. */
const FREED_S = 60;
/** A writer makes a row of its file within this time. */
const LEFT_MS = 3_600_000;
const BATCH = 500;

/** Deletes files that nothing refers to any more, unless an answer is reading them. @returns how many */
export async function deleteFreed(afterSeconds = FREED_S): Promise<number> {
  const rows = await query<{ id: string }>(sql`SELECT id FROM object_blobs
    WHERE freed_at <= platform_now() - ${afterSeconds}::float8 * interval '1 second' ORDER BY freed_at LIMIT ${BATCH}::int`);
  const ids = rows.map(({ id }) => id).filter((id) => !isRead(id));
  // The file first: after a crash the row still says that it must go.
  for (const id of ids) await deleteBlob(id);
  await query(sql`DELETE FROM object_blobs WHERE id = ANY (${ids}::uuid[])`);
  return rows.length < BATCH || ids.length === 0 ? ids.length : ids.length + (await deleteFreed(afterSeconds));
}

/** Deletes files that a crash left without a row. @returns how many */
export async function sweepFiles(graceMs = LEFT_MS): Promise<number> {
  let swept = 0;
  for await (const names of filesBefore(leftBefore(graceMs))) {
    const known = await query<{ id: string }>(sql`SELECT id FROM object_blobs WHERE id::text = ANY (${names}::text[])`);
    const left = names.filter((name) => !known.some(({ id }) => id === name));
    for (const name of left) await deleteBlob(name);
    swept += left.length;
  }
  if (swept > 0) log.info({ files: swept }, 'files of object storage without an object were deleted');
  return swept;
}

export type Damage = { bucket: string; key: string; blob: string; problem: 'missing' | 'changed' };

/**
 * Reads the files that were not read for the longest time and compares their bytes with what was written.
 * @returns what is damaged; the platform's operators see an incident for each
 */
export async function scrub(most: number): Promise<Damage[]> {
  const rows = await query<{ id: string; key: string; bucket: string; md5: string; size: number }>(sql`
    SELECT o.id, o.key, b.name AS bucket, encode(o.md5, 'hex') AS md5, o.size_bytes::float8 AS size
    FROM object_blobs o JOIN buckets b ON b.id = o.bucket_id WHERE o.freed_at IS NULL
      AND (o.scrubbed_at IS NULL OR o.scrubbed_at < platform_now() - interval '30 days')
    ORDER BY o.scrubbed_at NULLS FIRST LIMIT ${most}::int`);
  const damaged: Damage[] = [];
  for (const { id, key, bucket, md5, size } of rows) {
    const found = await digestOf(id);
    if (found?.md5 === md5 && found.size === size) continue;
    const damage: Damage = { bucket, key, blob: id, problem: found ? 'changed' : 'missing' };
    damaged.push(damage);
    await report(damage);
  }
  await query(
    sql`UPDATE object_blobs SET scrubbed_at = platform_now() WHERE id = ANY (${rows.map(({ id }) => id)}::uuid[])`,
  );
  return damaged;
}

async function report({ bucket, key, blob, problem }: Damage): Promise<void> {
  const row = await queryOne<{
    project_id: string;
    id: string;
  }>(sql`SELECT b.project_id, b.id FROM object_blobs o JOIN buckets b ON b.id = o.bucket_id
    WHERE o.id = ${blob}::uuid AND o.freed_at IS NULL`);
  // An object that was deleted meanwhile has no file, and needs none.
  if (!row) return;
  await reportIncident({
    key: `object:${blob}`,
    project_id: row.project_id,
    resource: { type: 'bucket', id: row.id },
    reason: `The object ${key} of the bucket ${bucket} is damaged: its file ${blob} ${problem === 'missing' ? 'is missing' : 'has changed on the disk'}.`,
  });
}
