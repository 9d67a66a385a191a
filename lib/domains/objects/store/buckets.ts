import { query, queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';

/**
 * Bucket names as S3 has them, for virtual hosts: 3 to 63 lowercase letters, digits, dots and dashes. Those that begin with `nephele-`
 * are the platform's own.
 */
export function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
    !/\.\.|\.-|-\./.test(name) &&
    !/^\d+\.\d+\.\d+\.\d+$/.test(name) &&
    !/^(xn--|sthree-|amzn-s3-demo-|nephele-)|(-s3alias|--ol-s3|\.mrap|--x-s3)$/.test(name)
  );
}

/** Why a bucket can't be deleted; undefined: it can. */
export const holdsSomething = sql`CASE
  WHEN EXISTS (SELECT FROM object_versions v WHERE v.bucket_id = b.id AND v.latest AND NOT v.delete_marker) THEN 'holds objects'
  WHEN EXISTS (SELECT FROM object_versions v WHERE v.bucket_id = b.id) THEN 'holds old versions'
  WHEN EXISTS (SELECT FROM object_uploads u WHERE u.bucket_id = b.id) THEN 'holds unfinished uploads' END`;

/** Changes settings of a bucket. */
export async function changeBucket(id: string, set: Sql, run = query): Promise<void> {
  await run(sql`UPDATE buckets SET ${set}, updated_at = platform_now() WHERE id = ${id}::uuid`);
}

/** The owner of a bucket name, if it is taken. */
export const ownerOf = (name: string) =>
  queryOne<{ project_id: string }>(sql`SELECT project_id FROM buckets WHERE name = ${name}::text`);
