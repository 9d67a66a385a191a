import type { CorsRule } from './s3/cors';
import type { LifecycleRule } from './s3/lifecycle';
import type { LockRule } from './s3/lock';

/** Settings of a bucket, as they are stored. */
export type BucketChange = {
  acl?: 'private' | 'public-read';
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
