import { query } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import type { LifecycleRule } from '../s3/lifecycle';
import { after } from './listing';
import { abortUpload, deleteObject } from './rows';

const BATCH = 1000;
/** Each bucket is looked at once in so many hours. */
const EVERY_HOURS = 12;

type Due = { id: string; lifecycle: LifecycleRule[] | null };

/** Applies the lifecycle rules of buckets that are due, and ends uploads that nobody has finished for a month. */
export async function applyLifecycle(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [bucket] = await query<Due>(sql`UPDATE buckets SET swept_at = platform_now() WHERE id = (
        SELECT id FROM buckets WHERE external_id IS NULL AND (swept_at IS NULL OR swept_at < platform_now() - ${EVERY_HOURS}::int * interval '1 hour')
        ORDER BY swept_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, lifecycle`);
    if (!bucket) return;
    for (const rule of bucket.lifecycle ?? []) if (rule.enabled) await applyRule(bucket.id, rule, signal);
    await abortOlder(bucket.id, '', 30);
  }
}

/** Days as S3 counts them: an object ages at the midnight after so many whole days. */
const aged = (at: Sql, days: number) =>
  sql`date_trunc('day', ${at} AT TIME ZONE 'UTC') + ${days + 1}::int * interval '1 day' <= platform_now() AT TIME ZONE 'UTC'`;

function matching(bucketId: string, { prefix, tags, larger, smaller }: LifecycleRule): Sql {
  const end = after(prefix);
  return sql`v.bucket_id = ${bucketId}::uuid AND v.key >= ${prefix}::text COLLATE "C"
    ${end === undefined ? sql`` : sql`AND v.key < ${end}::text`}
    AND coalesce(v.tags, '{}') @> ${JSON.stringify(tags)}::jsonb
    ${larger === undefined ? sql`` : sql`AND v.size_bytes > ${larger}::bigint`}
    ${smaller === undefined ? sql`` : sql`AND v.size_bytes < ${smaller}::bigint`}`;
}

async function applyRule(bucketId: string, rule: LifecycleRule, signal: AbortSignal): Promise<void> {
  const match = matching(bucketId, rule);
  if (rule.days !== undefined)
    await remove(
      signal,
      bucketId,
      sql`${match} AND v.latest AND NOT v.delete_marker AND ${aged(sql`v.modified_at`, rule.days)}`,
      false,
    );
  if (rule.date !== undefined)
    await remove(
      signal,
      bucketId,
      sql`${match} AND v.latest AND NOT v.delete_marker AND ${rule.date}::timestamptz <= platform_now()`,
      false,
    );
  if (rule.noncurrentDays !== undefined) {
    const newer = sql`SELECT n.modified_at FROM object_versions n WHERE n.bucket_id = v.bucket_id AND n.key = v.key AND n.seq > v.seq ORDER BY n.seq LIMIT 1`;
    const kept = sql`(SELECT count(*) FROM object_versions n WHERE n.bucket_id = v.bucket_id AND n.key = v.key AND n.seq > v.seq AND NOT n.latest) >= ${rule.noncurrentKept ?? 0}::int`;
    await remove(
      signal,
      bucketId,
      sql`${match} AND NOT v.latest AND ${aged(sql`(${newer})`, rule.noncurrentDays)} AND ${kept}`,
      true,
    );
  }
  if (rule.markers)
    await remove(
      signal,
      bucketId,
      sql`${match} AND v.latest AND v.delete_marker AND NOT EXISTS (
        SELECT FROM object_versions n WHERE n.bucket_id = v.bucket_id AND n.key = v.key AND n.seq < v.seq)`,
      true,
    );
  if (rule.abortDays !== undefined) await abortOlder(bucketId, rule.prefix, rule.abortDays);
}

const unlocked = sql`AND NOT coalesce(v.legal_hold, false) AND (v.retain_until IS NULL OR v.retain_until <= platform_now())`;

/** Each object is deleted as a client would: by name, or its version for good. */
async function remove(signal: AbortSignal, bucketId: string, which: Sql, byVersion: boolean): Promise<void> {
  while (!signal.aborted) {
    const rows = await query<{ key: string; version_id: string; etag: string }>(
      sql`SELECT v.key, v.version_id, v.etag FROM object_versions v WHERE ${which} ${byVersion ? unlocked : sql``} ORDER BY v.key LIMIT ${BATCH}::int`,
    );
    // An object that was replaced since stays.
    for (const { key, version_id, etag } of rows)
      await deleteObject(bucketId, key, byVersion ? version_id : undefined, byVersion ? {} : { match: etag }).catch(
        (error) => {
          if (!['P0405', 'P0412', 'P0423'].includes(error.code)) throw error;
        },
      );
    if (rows.length < BATCH) return;
  }
}

async function abortOlder(bucketId: string, prefix: string, days: number): Promise<void> {
  const rows = await query<{ id: string }>(sql`SELECT id FROM object_uploads
    WHERE bucket_id = ${bucketId}::uuid AND starts_with(key, ${prefix}::text) AND ${aged(sql`created_at`, days)}`);
  for (const { id } of rows) await abortUpload(id);
}
