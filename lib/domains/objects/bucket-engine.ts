import { randomBytes, randomInt } from 'node:crypto';
import { settings } from '@/lib/settings';
import type { BucketChange } from './bucket-change';
import { type BucketState, externalBuckets } from './external/buckets';

export type OwnedBucket = { project_id: string; name: string; external_id: string | null };

export type NewBucket = {
  project_id: string;
  name: string;
  acl: 'private' | 'public-read';
  quota_bytes: number | null;
  versioning: 'off' | 'enabled' | 'suspended';
  object_lock: boolean;
};

export type NewKey = {
  id: string;
  project_id: string;
  access: 'read' | 'write';
  /** The only bucket that it may use. */
  bucket: string | null;
};

/**
 * What keeps buckets and access keys beside their rows: nothing for the platform's own store, whose endpoint reads the rows, or the store of
 * `S3_EXTERNAL_URL`. Each call may be repeated.
 */
export interface BucketEngine {
  /** Before the row is written. @returns the store's id of the bucket; null: rows are all. @throws ApiError 409, 503 */
  make(bucket: NewBucket): Promise<string | null>;
  /** After the row was refused. */
  unmake(bucket: { project_id: string; name: string }): Promise<void>;
  /** Before the row is changed. @throws ApiError 400, 409, 503 */
  change(bucket: OwnedBucket, change: BucketChange): Promise<void>;
  /** Before the row is deleted. @throws ApiError 409 for a bucket that is not empty, 503 */
  remove(bucket: OwnedBucket): Promise<void>;
  /** What the row should say now; undefined: what it says. */
  current(bucket: OwnedBucket): Promise<BucketState | undefined>;
  /** Before the row is written. @throws ApiError 409, 503 */
  makeKey(key: NewKey): Promise<{ access_key: string; secret: string }>;
  /** Before the row is deleted. */
  endKey(key: { id: string; project_id: string }): Promise<void>;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const ownBuckets: BucketEngine = {
  make: async () => null,
  unmake: async () => {},
  change: async () => {},
  remove: async () => {},
  current: async () => undefined,
  makeKey: async () => ({
    // 20 characters and 40, as clients expect.
    access_key: `NEPH${Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`,
    secret: randomBytes(30).toString('base64url'),
  }),
  endKey: async () => {},
};

/** The engine that `S3_ENGINE` names. */
export const bucketEngine = (): BucketEngine => (settings().s3.external ? externalBuckets : ownBuckets);
