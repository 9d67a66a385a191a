import { z } from 'zod';
import { ask, outsideStore, type Pair, StoreRefusal, unlessMissing } from './store';

/** Ceph RGW's Admin Ops, as far as the platform uses them. Accounts are called users there, and keys have a subuser each. */

const userSchema = z.object({
  suspended: z.coerce.number(),
  subusers: z.array(z.object({ id: z.string(), permissions: z.string() })),
  keys: z.array(z.object({ user: z.string(), access_key: z.string(), secret_key: z.string() })),
});
const keysSchema = userSchema.shape.keys;
export type StoreUser = z.output<typeof userSchema>;

const bucketSchema = z.object({
  bucket: z.string(),
  id: z.string(),
  owner: z.string(),
  creation_time: z.string().optional(),
  usage: z.record(z.string(), z.object({ size: z.number().optional(), num_objects: z.number().optional() })),
  bucket_quota: z.object({ enabled: z.boolean(), max_size: z.number() }),
});

/** A bucket with what it holds. */
export type StoreBucket = {
  name: string;
  id: string;
  owner: string;
  made_at: Date | undefined;
  /** Bytes of all versions and of the parts of unfinished uploads. */
  bytes: number;
  /** All versions. */
  objects: number;
  quota_bytes: number | null;
};

const usageSchema = z.object({
  entries: z.array(
    z.object({
      buckets: z.array(
        z.object({
          bucket: z.string(),
          epoch: z.number(),
          categories: z.array(z.object({ category: z.string(), bytes_sent: z.number() })),
        }),
      ),
    }),
  ),
});

/** Bytes of objects that were sent from a bucket in an hour. */
export type StoreEgress = { bucket: string; hour: Date; bytes: number };

async function admin(method: 'GET' | 'PUT' | 'POST' | 'DELETE', what: string, query: Record<string, string>) {
  const { body } = await ask(outsideStore(), { method, path: `/admin/${what}`, query: { ...query, format: 'json' } });
  return body === '' ? undefined : JSON.parse(body);
}

/** An account; undefined: there is none. */
export async function findUser(uid: string): Promise<StoreUser | undefined> {
  const found = await unlessMissing(admin('GET', 'user', { uid }));
  return found === undefined ? undefined : userSchema.parse(found);
}

/** Makes an account with a key of its own. One that is there stays as it is. */
export async function createUser(uid: string, name: string, most: number): Promise<void> {
  const wish = { uid, 'display-name': name, 'generate-key': 'true', 'key-type': 's3', 'max-buckets': String(most) };
  await admin('PUT', 'user', wish).catch((error) => {
    if (!(error instanceof StoreRefusal && error.status === 409)) throw error;
  });
}

export async function suspendUser(uid: string, isSuspended: boolean): Promise<void> {
  await admin('POST', 'user', { uid, suspended: String(isSuspended) });
}

/** All accounts of the store. */
export async function listUsers(): Promise<string[]> {
  const page = z.object({ keys: z.array(z.string()), truncated: z.coerce.string(), marker: z.string().optional() });
  const names: string[] = [];
  let marker = '';
  for (;;) {
    const more: Record<string, string> = marker === '' ? {} : { marker };
    const found = page.parse(await admin('GET', 'metadata/user', { 'max-entries': '1000', ...more }));
    names.push(...found.keys);
    if (found.truncated !== 'true' || !found.marker) return names;
    marker = found.marker;
  }
}

const levels = { read: 'read', write: 'full' } as const;
export type Level = keyof typeof levels;
/** A level as answers of the store name it. */
export const permissionsOf: Record<Level, string> = { read: 'read', write: 'full-control' };

/**
 * Makes a key with a level of access. Without `pair`, the store draws one, so that no secret stands in an address that it may log.
 * @param name of the subuser that carries the key
 */
export async function createKey(uid: string, name: string, level: Level, pair?: Pair): Promise<Pair> {
  await admin('PUT', 'user', { subuser: name, uid, access: levels[level] });
  const given: Record<string, string> = pair ? { 'access-key': pair.access_key, 'secret-key': pair.secret } : {};
  const wish = { key: '', uid, subuser: name, 'key-type': 's3', 'generate-key': String(!pair), ...given };
  const keys = keysSchema.parse(await admin('PUT', 'user', wish));
  const made = keys.find(({ user }) => user === `${uid}:${name}`);
  if (!made) throw new Error('the outside object storage made no key');
  return { access_key: made.access_key, secret: made.secret_key };
}

export async function setLevel(uid: string, name: string, level: Level): Promise<void> {
  await admin('POST', 'user', { subuser: name, uid, access: levels[level] });
}

/** Ends a key; one that is not there is no fault. */
export async function removeKey(uid: string, name: string): Promise<void> {
  await unlessMissing(admin('DELETE', 'user', { subuser: name, uid, 'purge-keys': 'true' }));
}

/** A bucket of any account; undefined: there is none of this name. */
export async function findBucket(bucket: string): Promise<StoreBucket | undefined> {
  const found = await unlessMissing(admin('GET', 'bucket', { bucket, stats: 'true' }));
  return found === undefined ? undefined : bucketOf(bucketSchema.parse(found));
}

/** The buckets of an account. */
export async function listBuckets(uid: string): Promise<StoreBucket[]> {
  const found = await unlessMissing(admin('GET', 'bucket', { uid, stats: 'true' }));
  return z
    .array(bucketSchema)
    .parse(found ?? [])
    .map(bucketOf);
}

function bucketOf({
  bucket,
  id,
  owner,
  creation_time,
  usage,
  bucket_quota,
}: z.output<typeof bucketSchema>): StoreBucket {
  const sum = (of: (part: { size?: number | undefined; num_objects?: number | undefined }) => number | undefined) =>
    Object.values(usage).reduce((total, part) => total + (of(part) ?? 0), 0);
  const made_at = new Date(creation_time ?? '');
  return {
    name: bucket,
    id,
    owner,
    made_at: Number.isNaN(made_at.getTime()) ? undefined : made_at,
    bytes: sum(({ size }) => size),
    objects: usage['rgw.main']?.num_objects ?? 0,
    quota_bytes: bucket_quota.enabled && bucket_quota.max_size > 0 ? bucket_quota.max_size : null,
  };
}

/** Sets the most bytes of a bucket, in whole KiB, as older gateways take nothing else; null: no limit. */
export async function setQuota(uid: string, bucket: string, bytes: number | null): Promise<void> {
  const most = bytes === null ? undefined : String(Math.max(1, Math.floor(bytes / 1024)));
  const quota: Record<string, string> =
    most === undefined ? { enabled: 'false' } : { enabled: 'true', 'max-size-kb': most };
  await admin('PUT', 'bucket', { quota: '', uid, bucket, ...quota });
}

/** Bytes of objects that left the buckets of an account since a moment, by hour. */
export async function readEgress(uid: string, since: Date): Promise<StoreEgress[]> {
  const start = since.toISOString().slice(0, 19).replace('T', ' ');
  const query = { uid, start, 'show-entries': 'true', 'show-summary': 'false' };
  const found = usageSchema.parse(await admin('GET', 'usage', query));
  return found.entries.flatMap(({ buckets }) =>
    buckets.map(({ bucket, epoch, categories }) => ({
      bucket,
      hour: new Date(epoch * 1000),
      bytes: categories.reduce((sum, { category, bytes_sent }) => sum + (category === 'get_obj' ? bytes_sent : 0), 0),
    })),
  );
}
