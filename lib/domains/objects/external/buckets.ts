import { ApiError, conflict } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import type { BucketEngine } from '../bucket-engine';
import { list, parseXml } from '../s3/xml';
import { accountOf } from './accounts';
import * as admin from './admin';
import { readSettings, type StoredSettings, writeSettings } from './settings';
import { ask, type Pair, refusalOf, StoreRefusal, unlessMissing } from './store';

/** Buckets and keys in the store of `S3_EXTERNAL_URL`. Each project is an account there, and each access key a subuser of it. */
export const externalBuckets: BucketEngine = {
  async make({ project_id, name, acl, quota_bytes, versioning, object_lock }) {
    const pair = await accountOf(project_id);
    // The store would answer its owner as if it had made the bucket.
    if (await admin.findBucket(name)) throw takenName(name);
    await ask(pair, {
      method: 'PUT',
      path: `/${name}`,
      ...(object_lock ? { headers: { 'x-amz-bucket-object-lock-enabled': 'true' } } : {}),
    }).catch((error) => {
      throw refusalOf(error, { BucketAlreadyExists: takenName(name), TooManyBuckets: conflict(TOO_MANY) });
    });
    await writeSettings(pair, project_id, name, {
      acl,
      cors: null,
      ...(quota_bytes === null ? {} : { quota_bytes }),
      ...(versioning === 'enabled' && !object_lock ? { versioning } : {}),
    });
    const made = await admin.findBucket(name);
    if (!made) throw new Error(`the outside object storage lost the bucket ${name}`);
    return made.id;
  },
  async unmake({ project_id, name }) {
    const kept = await queryOne(sql`SELECT FROM buckets WHERE name = ${name}::text`);
    if (!kept) await remove(await accountOf(project_id), name);
  },
  async change({ project_id, name, external_id }, change) {
    requireOutside(name, external_id);
    await writeSettings(await accountOf(project_id), project_id, name, change);
  },
  async remove({ project_id, name, external_id }) {
    requireOutside(name, external_id);
    const pair = await accountOf(project_id);
    const open = await unlessMissing(ask(pair, { method: 'GET', path: `/${name}`, query: { uploads: '' } }));
    // The store would end them without a word.
    if (open && list(parseXml(open.body, 'ListMultipartUploadsResult')?.Upload).length > 0)
      throw conflict(`The bucket ${name} holds unfinished uploads. Delete them first.`);
    await remove(pair, name).catch((error) => {
      throw refusalOf(error, { BucketNotEmpty: conflict(`The bucket ${name} holds objects. Delete them first.`) });
    });
  },
  async current({ project_id, name, external_id }) {
    if (external_id === null) return undefined;
    const pair = await accountOf(project_id);
    const [found, stored] = await Promise.all([admin.findBucket(name), unlessMissing(readSettings(pair, name))]);
    if (!found || !stored || found.owner !== project_id) return undefined;
    return stateOf(found, stored);
  },
  async makeKey({ id, project_id, access, bucket }) {
    if (bucket !== null)
      throw conflict('bucket: the outside object storage has no keys for a single bucket. Make a project for it.');
    await accountOf(project_id);
    return admin.createKey(project_id, subuserOf(id), access);
  },
  async endKey({ id, project_id }) {
    await admin.removeKey(project_id, subuserOf(id));
  },
};

const TOO_MANY = 'The project has as many buckets as the outside object storage allows.';
const takenName = (name: string) =>
  conflict(`name: the name "${name}" is taken. Bucket names are unique in the platform.`);

/** The subuser that carries an access key. */
export const subuserOf = (id: string) => id.replace(/-/g, '');

/** @throws ApiError 503 for a bucket of the platform's own store */
export function requireOutside(name: string, external_id: string | null): void {
  if (external_id !== null) return;
  const message = `${name} is in the platform’s own store. An operator reaches it with S3_ENGINE=local.`;
  throw new ApiError('ENGINE_UNAVAILABLE', message);
}

async function remove(pair: Pair, name: string): Promise<void> {
  await ask(pair, { method: 'DELETE', path: `/${name}` }).catch((error) => {
    if (!(error instanceof StoreRefusal && error.code === 'NoSuchBucket')) throw error;
  });
}

/** The columns of a bucket's row, as the outside store has them. */
export function stateOf(found: admin.StoreBucket, stored: StoredSettings): BucketState {
  return { ...stored, quota_bytes: found.quota_bytes, used_bytes: found.bytes, objects: found.objects };
}

export type BucketState = StoredSettings & { quota_bytes: number | null; used_bytes: number; objects: number };

/** The store's quota, unless it is that of the row in whole KiB. */
export const sameQuota = (stored: Sql) =>
  sql`CASE WHEN buckets.quota_bytes / 1024 = ${stored} / 1024 THEN buckets.quota_bytes ELSE ${stored} END`;

/** Assignments of `UPDATE buckets SET`. */
export function stateColumns(state: BucketState): Sql {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return sql`acl = ${state.acl}::text, public_write = ${state.public_write}::boolean, grants = ${json(state.grants)}::jsonb,
    versioning = ${state.versioning}::text, lifecycle = ${json(state.lifecycle)}::jsonb, cors = ${json(state.cors)}::jsonb, policy = ${state.policy}::text,
    quota_bytes = ${sameQuota(sql`${state.quota_bytes}::bigint`)}, used_bytes = ${state.used_bytes}::bigint, objects = ${state.objects}::bigint`;
}
