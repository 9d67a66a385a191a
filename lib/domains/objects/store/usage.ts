import { query, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { usageEventsInsert } from '@/lib/money/metering/usage-events';

const MOST = 20_000;

/**
 * Adds up what requests changed in buckets. Bytes that left the platform become usage in the same statement, so each counts
 * once. @returns the number of changes
 */
export async function foldBucketChanges(): Promise<number> {
  const { taken } = await queryRow<{ taken: number }>(sql`
    WITH taken AS MATERIALIZED (
      DELETE FROM bucket_changes WHERE id IN (SELECT id FROM bucket_changes ORDER BY id LIMIT ${MOST}::int FOR UPDATE SKIP LOCKED)
      RETURNING *
    ), sums AS (
      SELECT bucket_id, project_id, max(bucket_name) AS bucket_name, sum(objects) AS objects, sum(bytes) AS bytes, sum(egress) AS egress,
        max(id) AS last
      FROM taken GROUP BY bucket_id, project_id
    ), changed AS (
      UPDATE buckets b SET objects = b.objects + sums.objects, used_bytes = b.used_bytes + sums.bytes
      FROM sums WHERE b.id = sums.bucket_id AND (sums.objects, sums.bytes) <> (0, 0)
    ), billed AS (
      ${usageEventsInsert(sql`(SELECT concat_ws(':', 'egress', bucket_id, last) AS key, project_id, 'network_egress' AS metric, 'bucket' AS resource_type,
        bucket_id AS resource_id, bucket_name AS resource_name, egress AS quantity, platform_now() AS occurred_at FROM sums WHERE egress > 0) AS sent`)}
    )
    SELECT count(*)::int AS taken FROM taken`);
  return taken < MOST ? taken : taken + (await foldBucketChanges());
}

type Sent = { bucket_id: string; project_id: string; bucket_name: string; egress: number };

/** Bytes that left since the last write, by bucket. */
let pending = new Map<string, Sent>();

/** Counts bytes that left to the outside. A crash of the process loses those of the last second. */
export function countSent(bucket: { id: string; project_id: string; name: string }, bytes: number): void {
  if (bytes <= 0) return;
  const sent = pending.get(bucket.id) ?? {
    bucket_id: bucket.id,
    project_id: bucket.project_id,
    bucket_name: bucket.name,
    egress: 0,
  };
  sent.egress += bytes;
  pending.set(bucket.id, sent);
}

/** Writes what `countSent` counted. */
export async function writeSent(): Promise<void> {
  if (pending.size === 0) return;
  const sent = pending;
  pending = new Map();
  try {
    await query(sql`INSERT INTO bucket_changes (bucket_id, project_id, bucket_name, objects, bytes, egress)
      SELECT bucket_id, project_id, bucket_name, 0, 0, egress
      FROM jsonb_to_recordset(${JSON.stringify([...sent.values()])}::jsonb) AS s (bucket_id uuid, project_id uuid, bucket_name text, egress bigint)`);
  } catch (error) {
    for (const { bucket_id, project_id, bucket_name, egress } of sent.values())
      countSent({ id: bucket_id, project_id, name: bucket_name }, egress);
    log.warn({ err: error }, 'sent bytes of object storage wait for the database');
  }
}
