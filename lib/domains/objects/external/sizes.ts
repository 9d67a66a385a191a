import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { accountOf } from './accounts';
import { findBucket, listBuckets, listUsers, readEgress, type StoreBucket } from './admin';
import { sameQuota, stateColumns, stateOf } from './buckets';
import { readSettings } from './settings';

/** A bucket may lack its row, or a row its bucket, while it is being made. */
const GRACE_MS = 60_000;
/** Hours whose bytes may still grow. */
const OPEN_HOURS = 3;

type Row = { id: string; name: string; external_id: string; created_at: Date };

/**
 * Brings rows of buckets to what the outside store holds: their sizes, which are billed, buckets that S3 clients made or deleted, and
 * bytes that left. @param now for tests
 */
export async function readSizes(signal: AbortSignal, now = Date.now()): Promise<void> {
  const names = await listUsers();
  const projects = await query<{ id: string }>(sql`SELECT id FROM projects WHERE id::text = ANY(${names}::text[])`);
  for (const { id } of projects) {
    if (signal.aborted) return;
    await readAccount(id, now).catch((error) =>
      log.warn({ err: error, project: id }, 'buckets of an account in the outside object storage could not be read'),
    );
  }
}

async function readAccount(project: string, now: number): Promise<void> {
  const held = await listBuckets(project);
  const rows = await query<Row>(sql`SELECT id, name, external_id, created_at FROM buckets
    WHERE project_id = ${project}::uuid AND external_id IS NOT NULL`);
  const known = new Map(rows.map((row) => [row.name, row]));
  await writeSizes(held);
  for (const bucket of held)
    if (!known.has(bucket.name) && now - (bucket.made_at?.getTime() ?? now) > GRACE_MS) await adopt(project, bucket);
  const names = new Set(held.map(({ name }) => name));
  for (const { id, name, created_at } of rows) {
    if (names.has(name) || now - created_at.getTime() < GRACE_MS) continue;
    // An S3 client deleted it.
    if (!(await findBucket(name))) await execute(sql`DELETE FROM buckets WHERE id = ${id}::uuid`);
  }
  if (rows.length > 0) await writeEgress(project, now);
}

async function writeSizes(held: readonly StoreBucket[]): Promise<void> {
  const sizes = held.map(({ id, bytes, objects, quota_bytes }) => ({ id, bytes, objects, quota_bytes }));
  await execute(sql`UPDATE buckets SET used_bytes = s.bytes, objects = s.objects, quota_bytes = ${sameQuota(sql`s.quota_bytes`)}
    FROM jsonb_to_recordset(${JSON.stringify(sizes)}::jsonb) AS s (id text, bytes bigint, objects bigint, quota_bytes bigint)
    WHERE buckets.external_id = s.id AND (buckets.used_bytes, buckets.objects) IS DISTINCT FROM (s.bytes, s.objects)`);
}

/** A bucket that an S3 client made becomes one of the project. */
async function adopt(project: string, bucket: StoreBucket): Promise<void> {
  const state = stateOf(bucket, await readSettings(await accountOf(project), bucket.name));
  const id = newId();
  await execute(sql`INSERT INTO buckets (id, project_id, name, acl, external_id, created_at, updated_at)
    VALUES (${id}::uuid, ${project}::uuid, ${bucket.name}::text, 'private', ${bucket.id}::text, platform_now(), platform_now()) ON CONFLICT (name) DO NOTHING`);
  await execute(sql`UPDATE buckets SET ${stateColumns(state)} WHERE id = ${id}::uuid`);
}

/** Bytes of an hour become a change of the bucket by as much as they have grown since, so that each is billed once. */
async function writeEgress(project: string, now: number): Promise<void> {
  const since = new Date(Math.floor(now / 3_600_000) * 3_600_000 - OPEN_HOURS * 3_600_000);
  const sent = await readEgress(project, since);
  if (sent.length === 0) return;
  await execute(sql`WITH sent AS (
      SELECT b.id, b.name, s.hour, sum(s.bytes)::bigint AS bytes
      FROM jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) AS s (bucket text, hour timestamptz, bytes bigint)
      JOIN buckets b ON b.name = s.bucket AND b.project_id = ${project}::uuid AND b.external_id IS NOT NULL GROUP BY b.id, s.hour
    ), past AS (
      SELECT e.* FROM external_egress e JOIN sent ON sent.id = e.bucket_id AND sent.hour = e.hour FOR UPDATE OF e
    ), more AS (
      SELECT sent.*, sent.bytes - coalesce(past.bytes, 0) AS grown FROM sent LEFT JOIN past ON past.bucket_id = sent.id AND past.hour = sent.hour
    ), kept AS (
      INSERT INTO external_egress (bucket_id, hour, bytes) SELECT id, hour, bytes FROM more WHERE grown > 0
      ON CONFLICT (bucket_id, hour) DO UPDATE SET bytes = excluded.bytes
    )
    INSERT INTO bucket_changes (bucket_id, project_id, bucket_name, objects, bytes, egress)
    SELECT id, ${project}::uuid, name, 0, 0, grown FROM more WHERE grown > 0`);
}
