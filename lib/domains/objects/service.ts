import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, invalid, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { join, type Sql, sql } from '@/lib/core/db/sql';
import { commit } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { settings } from '@/lib/settings';
import type { BucketChange } from './bucket-change';
import { bucketEngine } from './bucket-engine';
import { stateColumns } from './external/buckets';
import type { CorsRule } from './s3/cors';
import type { LifecycleRule } from './s3/lifecycle';
import { parsePolicy } from './s3/policy';
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
  external_id: string | null;
  created_at: Date;
  updated_at: Date;
};

/** With the changes that are not yet added up. */
const columns = sql`b.id, b.name, b.acl, b.public_write, b.grants, b.quota_bytes::float8 AS quota_bytes, b.versioning, b.object_lock IS NOT NULL AS object_lock, b.lifecycle, b.cors, b.policy IS NOT NULL AS has_policy, b.external_id,
  (b.used_bytes + fresh.bytes)::float8 AS used_bytes, (b.objects + fresh.objects)::float8 AS objects, b.created_at, b.updated_at`;
const from = sql`buckets b CROSS JOIN LATERAL (
  SELECT coalesce(sum(c.bytes), 0) AS bytes, coalesce(sum(c.objects), 0) AS objects FROM bucket_changes c WHERE c.bucket_id = b.id) AS fresh`;

function view({ grants, quota_bytes, lifecycle, cors, external_id: _, created_at, updated_at, ...row }: Row): Bucket {
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

/** A bucket by its name, or by its id, with what an outside store says of it now. @throws ApiError 404, 503 */
export async function readBucket(call: ProjectCall, name: string): Promise<Bucket> {
  const row = await rowOf(call, name);
  const current = await bucketEngine().current({ ...row, project_id: call.project_id });
  if (!current) return view(row);
  await execute(sql`UPDATE buckets SET ${stateColumns(current)} WHERE id = ${row.id}::uuid`);
  return view(await rowOf(call, name));
}

async function rowOf(call: ProjectCall, name: string): Promise<Row> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM ${from} WHERE b.project_id = ${call.project_id}::uuid AND ${name}::text IN (b.name, b.id::text)
      ORDER BY b.name = ${name}::text DESC LIMIT 1`,
  );
  if (!row) throw notFound('The bucket');
  return row;
}

/** The policy of a bucket, as it was set. @throws ApiError 404, 503 */
export async function readPolicy(call: ProjectCall, name: string): Promise<{ policy: string | null }> {
  const { id } = await readBucket(call, name);
  const row = await queryOne<{ policy: string | null }>(sql`SELECT policy FROM buckets WHERE id = ${id}::uuid`);
  if (!row) throw notFound('The bucket');
  return row;
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
    external_id: null,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = view(row);
  const owned = { ...row, project_id: call.project_id };
  const isTaken = await queryOne(sql`SELECT FROM buckets WHERE name = ${row.name}::text`);
  const external_id = isTaken ? null : await bucketEngine().make(owned);
  const write = commit(call, {
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
      bucket: sql`INSERT INTO buckets (id, project_id, name, acl, public_write, quota_bytes, versioning, object_lock, external_id, created_at, updated_at)
        SELECT ${row.id}::uuid, ${call.project_id}::uuid, ${row.name}::text, ${row.acl}::text, ${row.public_write}::boolean, ${row.quota_bytes}::bigint, ${row.versioning}::text,
          ${row.object_lock ? '{}' : null}::jsonb, ${external_id}::text, ${call.at}::timestamptz, ${call.at}::timestamptz FROM verdict WHERE verdict.ok`,
    },
    details: { acl: row.acl, ...(public_write ? { public_write } : {}) },
    answer: { status: 201, body: created },
  });
  await write.catch(async (error) => {
    if (external_id !== null && error instanceof ApiError) await bucketEngine().unmake(owned);
    throw error;
  });
  return created;
}

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
  const { id, external_id } = await ownedOf(call, name);
  await bucketEngine().change({ project_id: call.project_id, name, external_id }, change);
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

async function ownedOf(call: ProjectCall, name: string): Promise<{ id: string; external_id: string | null }> {
  const row = await queryOne<{ id: string; external_id: string | null }>(
    sql`SELECT id, external_id FROM buckets WHERE project_id = ${call.project_id}::uuid AND name = ${name}::text`,
  );
  if (!row) throw notFound('The bucket');
  return row;
}

/**
 * Changes settings of a bucket. Less quota than its bytes refuses new ones, and deletes none.
 * @throws ApiError 404
 */
export async function updateBucket(call: ProjectCall, name: string, input: UpdateBucket): Promise<Bucket> {
  const { acl, quota_gb, versioning, lifecycle, cors, policy } = input;
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
    ...(policy === undefined ? {} : { policy: policy === null ? null : requirePolicy(policy, name) }),
  };
  await changeSettings(call, name, change);
  return readBucket(call, name);
}

/** @throws ApiError 400 that says what is wrong with the policy */
function requirePolicy(policy: string, name: string): string {
  try {
    // An outside store judges by rules of its own, but reads JSON as well.
    if (settings().s3.external) JSON.parse(policy);
    else parsePolicy(policy, name);
    return policy;
  } catch (error) {
    throw invalid(`policy: ${error instanceof Error ? error.message : 'it is not valid.'}`);
  }
}

/**
 * Deletes an empty bucket, with its access keys' limits.
 * @throws ApiError 404, 409 while an object, a version or an unfinished upload is in it
 */
export async function deleteBucket(call: ProjectCall, name: string): Promise<void> {
  const { id, external_id } = await ownedOf(call, name);
  await bucketEngine().remove({ project_id: call.project_id, name, external_id });
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
