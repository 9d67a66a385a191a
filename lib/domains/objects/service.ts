import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { join, type Sql, sql } from '@/lib/core/db/sql';
import { commit } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { settings } from '@/lib/settings';
import type { CorsRule } from './s3/cors';
import type { LifecycleRule } from './s3/lifecycle';
import type { LockRule } from './s3/lock';
import { type Bucket, bucketQuery, bytesOfGb, type CreateBucket, gbOfBytes, type UpdateBucket } from './schema';
import { holdsSomething } from './store/buckets';

type Row = {
  id: string;
  name: string;
  acl: Bucket['acl'];
  public_write: boolean;
  grants: readonly object[] | null;
  quota_bytes: number | null;
  used_bytes: number;
  objects: number;
  versioning: Bucket['versioning'];
  object_lock: boolean;
  lifecycle: LifecycleRule[] | null;
  cors: CorsRule[] | null;
  has_policy: boolean;
  created_at: Date;
  updated_at: Date;
};

/** With the changes that are not yet added up. */
const columns = sql`b.id, b.name, b.acl, b.public_write, b.grants, b.quota_bytes::float8 AS quota_bytes, b.versioning, b.object_lock IS NOT NULL AS object_lock, b.lifecycle, b.cors, b.policy IS NOT NULL AS has_policy,
  (b.used_bytes + fresh.bytes)::float8 AS used_bytes, (b.objects + fresh.objects)::float8 AS objects, b.created_at, b.updated_at`;
const from = sql`buckets b CROSS JOIN LATERAL (
  SELECT coalesce(sum(c.bytes), 0) AS bytes, coalesce(sum(c.objects), 0) AS objects FROM bucket_changes c WHERE c.bucket_id = b.id) AS fresh`;

function view({ grants, quota_bytes, lifecycle, cors, created_at, updated_at, ...row }: Row): Bucket {
  const { url, region } = settings().s3;
  return {
    ...row,
    has_grants: (grants ?? []).length > 0,
    quota_gb: quota_bytes === null ? null : gbOfBytes(quota_bytes),
    endpoint: url,
    region,
    public_url: row.acl === 'public-read' ? `${url}/${row.name}` : null,
    lifecycle: lifecycle ?? [],
    cors: cors ?? [],
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

export const listBuckets = listOf({
  query: bucketQuery,
  columns,
  from,
  id: 'b.id',
  where: ofProject('b'),
  filters: { name: equals('b.name'), acl: equals('b.acl'), search: contains('b.name'), tag: hasTags('b') },
  sort: { name: 'b.name', used_bytes: { column: 'b.used_bytes', type: 'numeric' } },
  view: (row: Row) => view(row),
});

/** A bucket by its name, or by its id. @throws ApiError 404 */
export async function readBucket(call: ProjectCall, name: string): Promise<Bucket> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM ${from} WHERE b.project_id = ${call.project_id}::uuid AND ${name}::text IN (b.name, b.id::text)
      ORDER BY b.name = ${name}::text DESC LIMIT 1`,
  );
  if (!row) throw notFound('The bucket');
  return view(row);
}

/**
 * Creates a bucket.
 * @throws ApiError 409 when the name is taken, by any project, or the project has too many
 */
export async function createBucket(call: ProjectCall, input: CreateBucket, public_write = false): Promise<Bucket> {
  const row: Row = {
    id: newId(),
    name: input.name,
    acl: input.acl,
    public_write,
    grants: null,
    quota_bytes: input.quota_gb === undefined ? null : bytesOfGb(input.quota_gb),
    used_bytes: 0,
    objects: 0,
    versioning: input.versioning || input.object_lock ? 'enabled' : 'off',
    object_lock: input.object_lock,
    lifecycle: null,
    cors: null,
    has_policy: false,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = view(row);
  await commit(call, {
    resource: { type: 'bucket', id: row.id, name: row.name },
    taken: {
      when: sql`EXISTS (SELECT FROM buckets WHERE name = ${row.name}::text)`,
      message: `name: the name "${row.name}" is taken. Bucket names are unique in the platform.`,
    },
    caps: [
      {
        held: sql`buckets_held(k.project_id)`,
        most: settings().bucketsPerProject,
        setting: 'BUCKETS_PER_PROJECT',
        holder: 'The project has',
        things: 'buckets',
      },
    ],
    rows: {
      bucket: sql`INSERT INTO buckets (id, project_id, name, acl, public_write, quota_bytes, versioning, object_lock, created_at, updated_at)
        SELECT ${row.id}::uuid, ${call.project_id}::uuid, ${row.name}::text, ${row.acl}::text, ${row.public_write}::boolean, ${row.quota_bytes}::bigint, ${row.versioning}::text,
          ${row.object_lock ? '{}' : null}::jsonb, ${call.at}::timestamptz, ${call.at}::timestamptz FROM verdict WHERE verdict.ok`,
    },
    details: { acl: row.acl, ...(public_write ? { public_write } : {}) },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Settings of a bucket, as they are stored. */
export type BucketChange = {
  acl?: Bucket['acl'];
  public_write?: boolean;
  grants?: readonly { id: string; permission: string }[] | null;
  quota_bytes?: number | null;
  versioning?: 'enabled' | 'suspended';
  object_lock?: LockRule;
  policy?: string | null;
  cors?: readonly CorsRule[] | null;
  lifecycle?: readonly LifecycleRule[] | null;
  tags?: Record<string, string> | null;
};

const setters: { [Name in keyof BucketChange]-?: (value: NonNullable<BucketChange[Name]> | null) => Sql } = {
  acl: (value) => sql`acl = ${value}::text`,
  grants: (value) => sql`grants = ${json(value)}::jsonb`,
  public_write: (value) => sql`public_write = ${value}::boolean`,
  quota_bytes: (value) => sql`quota_bytes = ${value}::bigint`,
  versioning: (value) => sql`versioning = ${value}::text`,
  object_lock: (value) => sql`object_lock = ${json(value)}::jsonb`,
  policy: (value) => sql`policy = ${value}::text`,
  cors: (value) => sql`cors = ${json(value)}::jsonb`,
  lifecycle: (value) => sql`lifecycle = ${json(value)}::jsonb, swept_at = NULL`,
  tags: (value) => sql`tags = ${json(value)}::jsonb`,
};

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Changes settings of a bucket, with an audit entry. @throws ApiError 404 */
export async function changeSettings(
  call: ProjectCall,
  name: string,
  change: BucketChange,
  body?: Bucket,
): Promise<void> {
  const id = await idOf(call, name);
  const untyped = Object.entries(change) as [keyof BucketChange, never][];
  const sets = untyped.flatMap(([key, value]) => (value === undefined ? [] : [setters[key](value)]));
  await commit(call, {
    resource: { type: 'bucket', id, name },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN buckets b ON b.project_id = k.project_id
                WHERE b.id = ${id}::uuid FOR NO KEY UPDATE OF b`,
    rows: {
      bucket: sql`UPDATE buckets SET ${join([...sets, sql`updated_at = ${call.at}::timestamptz`], ', ')}
        FROM verdict WHERE verdict.ok AND buckets.id = ${id}::uuid`,
    },
    details: { changed: Object.keys(change), ...(change.acl ? { acl: change.acl } : {}) },
    ...(body ? { answer: { status: 200, body } } : {}),
  });
}

async function idOf(call: ProjectCall, name: string): Promise<string> {
  const row = await queryOne<{ id: string }>(
    sql`SELECT id FROM buckets WHERE project_id = ${call.project_id}::uuid AND name = ${name}::text`,
  );
  if (!row) throw notFound('The bucket');
  return row.id;
}

/**
 * Changes settings of a bucket. Less quota than its bytes refuses new ones, and deletes none.
 * @throws ApiError 404
 */
export async function updateBucket(call: ProjectCall, name: string, input: UpdateBucket): Promise<Bucket> {
  const { acl, quota_gb, versioning, lifecycle, cors } = input;
  const before = await readBucket(call, name);
  if (versioning === false && before.object_lock)
    throw new ApiError('CONFLICT', `versioning: the bucket ${name} has object lock, which needs its versions.`);
  const change: BucketChange = {
    ...(acl === undefined ? {} : { acl, public_write: false, grants: null }),
    ...(quota_gb === undefined ? {} : { quota_bytes: quota_gb === null ? null : bytesOfGb(quota_gb) }),
    // A bucket that never kept versions has nothing to suspend.
    ...(versioning === undefined || (!versioning && before.versioning === 'off')
      ? {}
      : { versioning: versioning ? ('enabled' as const) : ('suspended' as const) }),
    ...(lifecycle === undefined ? {} : { lifecycle: lifecycle.length === 0 ? null : (lifecycle as LifecycleRule[]) }),
    ...(cors === undefined ? {} : { cors: cors.length === 0 ? null : (cors as CorsRule[]) }),
  };
  await changeSettings(call, name, change);
  return readBucket(call, name);
}

/**
 * Deletes an empty bucket, with its access keys' limits.
 * @throws ApiError 404, 409 while an object, a version or an unfinished upload is in it
 */
export async function deleteBucket(call: ProjectCall, name: string): Promise<void> {
  const id = await idOf(call, name);
  await commit(call, {
    resource: { type: 'bucket', id, name },
    target: sql`SELECT held.state IS NULL AS allowed, held.state FROM k JOIN buckets b ON b.project_id = k.project_id
      CROSS JOIN LATERAL (SELECT ${holdsSomething} AS state) AS held WHERE b.id = ${id}::uuid FOR UPDATE OF b`,
    forbidden: (state) => `The bucket ${name} ${state}. Delete them first.`,
    in_use: `The bucket ${name} is not empty.`,
    rows: {
      keys: sql`DELETE FROM object_credentials USING verdict WHERE verdict.ok AND object_credentials.bucket_id = ${id}::uuid`,
      gone: sql`DELETE FROM buckets USING verdict WHERE verdict.ok AND buckets.id = ${id}::uuid`,
    },
  });
}
