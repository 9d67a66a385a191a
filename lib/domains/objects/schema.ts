import { z } from 'zod';
import { listQuery, sortedQuery } from '@/lib/core/api/pagination';
import { id, reference, times, timestamp } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';
import { isBucketName } from './store/buckets';

const GB = 1024 ** 3;

const bucketName = z
  .string()
  .max(63)
  .refine(
    isBucketName,
    'must have 3 to 63 lowercase letters, digits, dots and dashes, and begin and end with a letter or digit; names that begin with nephele- are the platform’s',
  )
  .meta({
    description:
      'Unique in the platform: 3 to 63 lowercase letters, digits, dots and dashes. Names that begin with `nephele-` are the platform’s.',
  });

const acl = z.enum(['private', 'public-read']).meta({
  description:
    '`public-read`: everyone may list the bucket and read its objects, unless an object has an ACL of its own.',
});
const quota = z
  .number()
  .min(0.001)
  .max(5_000_000)
  .meta({ description: 'The most GB (1024³ bytes) that the bucket holds, with old versions and unfinished uploads.' });

const lifecycleRule = z
  .strictObject({
    id: z.string().max(255),
    enabled: z.boolean(),
    prefix: z.string().max(1024).default(''),
    tags: z.record(z.string().max(128), z.string().max(256)).default({}),
    larger: z.int().min(0).optional().meta({ description: 'Objects larger than so many bytes.' }),
    smaller: z.int().min(1).optional().meta({ description: 'Objects smaller than so many bytes.' }),
    days: z.int().min(1).max(100_000).optional().meta({ description: 'Deletes current objects of that age.' }),
    date: timestamp.optional().meta({ description: 'Deletes current objects from this day on.' }),
    markers: z.boolean().optional().meta({ description: 'Removes delete markers without older versions.' }),
    noncurrentDays: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .meta({ description: 'Deletes versions so many days after a newer one.' }),
    noncurrentKept: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'Keeps so many of the newest old versions.' }),
    abortDays: z.int().min(1).max(100_000).optional().meta({ description: 'Ends unfinished uploads of that age.' }),
  })
  .meta({ id: 'LifecycleRule' });

/** S3 knows one kind of expiry for a rule. */
function actsOnce(rule: z.output<typeof lifecycleRule>): boolean {
  const { days, date, markers, noncurrentDays, abortDays } = rule;
  const ends = [days, date, markers || undefined].filter((value) => value !== undefined).length;
  return ends < 2 && (ends === 1 || noncurrentDays !== undefined || abortDays !== undefined);
}

const corsRule = z
  .strictObject({
    id: z.string().max(255).optional(),
    origins: z.array(z.string().max(300)).min(1).max(100),
    methods: z.array(z.enum(['GET', 'PUT', 'POST', 'DELETE', 'HEAD'])).min(1),
    headers: z.array(z.string().max(300)).max(100).default([]),
    exposed: z.array(z.string().max(300)).max(100).default([]),
    maxAge: z.int().min(0).max(86_400).optional(),
  })
  .meta({ id: 'CorsRule' });

export const bucket = z
  .strictObject({
    id,
    name: bucketName,
    acl,
    public_write: z.boolean().meta({
      description:
        'Whether everyone may write, which only S3’s canned ACL `public-read-write` sets. A change of `acl` ends it.',
    }),
    has_grants: z
      .boolean()
      .meta({ description: 'Whether S3 clients gave rights to single projects. A change of `acl` ends them.' }),
    quota_gb: quota.nullable(),
    used_bytes: z.int().meta({ description: 'Bytes of all versions and of the parts of unfinished uploads.' }),
    objects: z.int().meta({ description: 'Current objects.' }),
    versioning: z.enum(['off', 'enabled', 'suspended']),
    object_lock: z.boolean().meta({ description: 'Whether versions can be locked against deletion, by S3 clients.' }),
    endpoint: z.url().meta({ description: 'The address of the S3 endpoint.' }),
    region: z.string(),
    public_url: z
      .url()
      .nullable()
      .meta({ description: 'The address of the bucket for everyone, if its ACL is public.' }),
    lifecycle: z.array(lifecycleRule),
    cors: z.array(corsRule),
    has_policy: z.boolean().meta({ description: 'Whether the bucket has a policy.' }),
    ...times,
  })
  .meta({ id: 'Bucket' });
export type Bucket = z.output<typeof bucket>;

export const createBucket = z
  .strictObject({
    name: bucketName,
    acl: acl.default('private'),
    quota_gb: quota.optional(),
    versioning: z.boolean().default(false).meta({ description: 'Keeps old versions of changed and deleted objects.' }),
    object_lock: z.boolean().default(false).meta({
      description: 'Lets S3 clients lock versions against deletion. Implies `versioning`, and both stay for good.',
    }),
  })
  .meta({ id: 'CreateBucket', example: { name: 'example-assets', acl: 'private', quota_gb: 50 } });
export type CreateBucket = z.output<typeof createBucket>;

export const updateBucket = z
  .strictObject({
    acl: acl.optional(),
    quota_gb: quota.nullable().optional(),
    versioning: z.boolean().optional(),
    lifecycle: z
      .array(lifecycleRule)
      .max(1000)
      .refine((rules) => new Set(rules.map(({ id }) => id)).size === rules.length, 'each rule needs an id of its own')
      .refine((rules) => rules.every(actsOnce), 'each rule needs an action, and at most one of days, date and markers')
      .optional(),
    cors: z.array(corsRule).max(100).optional(),
    policy: z
      .string()
      .max(20 * 1024)
      .nullable()
      .optional()
      .meta({ description: 'A bucket policy in JSON; null: none.' }),
  })
  .meta({ id: 'UpdateBucket', example: { acl: 'public-read', quota_gb: 100 } });
export type UpdateBucket = z.output<typeof updateBucket>;

export const bucketPolicy = z
  .strictObject({ policy: z.string().nullable().meta({ description: 'In JSON, as it was set; null: none.' }) })
  .meta({ id: 'BucketPolicy' });

export const bucketQuery = sortedQuery(
  {
    name: z.string().max(63).optional().meta({ description: 'Exact name.' }),
    acl: acl.optional(),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name.' }),
    tag: tagFilter,
  },
  ['name', 'used_bytes'],
);

export const bucketParams = z.strictObject({ name: z.string().max(255) });
export const objectParams = z.strictObject({ name: z.string().max(255), key: z.string().max(6200) });
export const uploadParams = z.strictObject({ name: z.string().max(255), id: z.string().max(200) });

const key = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= 1024, 'must have at most 1,024 bytes')
  .refine((text) => !text.includes('\0'), 'must not contain the character zero')
  .meta({ description: 'Up to 1,024 bytes of UTF-8.', example: 'photos/2026/cat.jpg' });

export const object = z
  .strictObject({
    key: z.string(),
    size_bytes: z.int(),
    etag: z.string(),
    content_type: z.string().nullable(),
    last_modified: timestamp,
    storage_class: z.literal('STANDARD'),
    version_id: z.string().optional().meta({ description: 'With `versions=true`.' }),
    latest: z.boolean().optional(),
    delete_marker: z.boolean().optional(),
  })
  .meta({ id: 'StoredObject' });
export type StoredObject = z.output<typeof object>;

export const commonPrefix = z
  .strictObject({ prefix: z.string() })
  .meta({ id: 'CommonPrefix', description: 'What several keys share up to the delimiter.' });
export const objectEntry = z.union([object, commonPrefix]);
export type ObjectEntry = z.output<typeof objectEntry>;

export const objectQuery = listQuery({
  prefix: z.string().max(1024).optional().meta({ description: 'Only keys that begin with this.' }),
  delimiter: z.string().max(100).optional().meta({ description: 'Folds keys up to this text: `/` for folders.' }),
  versions: z.enum(['true', 'false']).optional().meta({ description: '`true`: with old versions and delete markers.' }),
}).extend({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .meta({ description: 'Number of items per page, 1 to 1000.' }),
  cursor: z.string().max(4096).optional().meta({ description: 'From the `Link` header of the previous page.' }),
});

export const deleteQuery = z.strictObject({
  version_id: z.string().max(100).optional().meta({ description: 'Deletes this version for good.' }),
});

export const presign = z
  .strictObject({
    key,
    method: z.enum(['GET', 'PUT']).default('GET'),
    expires_in: z.int().min(1).max(604_800).default(3600).meta({ description: 'Seconds; at most a week.' }),
    content_type: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
      .optional()
      .meta({ description: 'A PUT must then have this type.' }),
    version_id: z.string().max(100).optional(),
    download: z.boolean().optional().meta({ description: 'Browsers save the object instead of showing it.' }),
    upload_id: z.string().max(100).optional().meta({ description: 'Of a multipart upload, with `part_number`.' }),
    part_number: z.int().min(1).max(10_000).optional(),
  })
  .meta({ id: 'PresignObject', example: { key: 'photos/2026/cat.jpg', method: 'GET', expires_in: 3600 } });
export type Presign = z.output<typeof presign>;

export const presigned = z
  .strictObject({
    url: z.url(),
    method: z.enum(['GET', 'PUT']),
    expires_at: timestamp,
    headers: z.record(z.string(), z.string()).meta({ description: 'Headers that the request must have.' }),
  })
  .meta({ id: 'PresignedUrl' });

export const beginUpload = z
  .strictObject({
    key,
    size_bytes: z
      .int()
      .min(0)
      .max(5 * 1024 ** 4),
    content_type: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
      .optional(),
  })
  .meta({ id: 'BeginUpload', example: { key: 'backups/2026.tar', size_bytes: 5_368_709_120 } });
export type BeginUpload = z.output<typeof beginUpload>;

export const begunUpload = z
  .strictObject({
    upload_id: z.string(),
    key: z.string(),
    part_size: z.int().meta({ description: 'Bytes of every part but the last.' }),
  })
  .meta({ id: 'BegunUpload' });

export const upload = z
  .strictObject({
    upload_id: z.string(),
    key: z.string(),
    size_bytes: z.int().nullable(),
    part_size: z.int().nullable(),
    parts: z.array(z.strictObject({ part_number: z.int(), size_bytes: z.int(), etag: z.string() })),
    created_at: timestamp,
  })
  .meta({ id: 'ObjectUpload' });
export type ObjectUpload = z.output<typeof upload>;

export const copyObject = z
  .strictObject({
    source_key: key,
    key,
    source_bucket: z.string().max(63).optional().meta({ description: 'Another bucket of the project.' }),
    version_id: z.string().max(100).optional(),
  })
  .meta({ id: 'CopyObject', example: { source_key: 'draft.txt', key: 'final.txt' } });
export type CopyObject = z.output<typeof copyObject>;

export const deleteObjects = z
  .strictObject({ keys: z.array(key).min(1).max(1000) })
  .meta({ id: 'DeleteObjects', example: { keys: ['old/a.txt', 'old/b.txt'] } });
export const deletedObjects = z.strictObject({ deleted: z.int() }).meta({ id: 'DeletedObjects' });

const description = z
  .string()
  .trim()
  .max(100)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters');

export const credential = z
  .strictObject({
    id,
    access_key: z.string(),
    description,
    bucket: z.string().nullable().meta({ description: 'The only bucket that the key may use.' }),
    access: z.enum(['read', 'write']),
    owner: z.enum(['me', 'project']).meta({
      description: '`me`: may at most what its maker’s role allows, and ends with that membership. `project`: stays.',
    }),
    created_by: z.string(),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
    expires_at: timestamp.nullable(),
  })
  .meta({ id: 'StorageCredential' });
export type Credential = z.output<typeof credential>;

export const newCredential = credential
  .extend({ secret_key: z.string().meta({ description: 'Shown only once.' }) })
  .meta({ id: 'NewStorageCredential' });
export type NewCredential = z.output<typeof newCredential>;

export const createCredential = z
  .strictObject({
    description: description.default(''),
    bucket: reference.optional().meta({
      description: 'The name of the only bucket that the key may use.',
      example: undefined,
      format: undefined,
    }),
    access: z.enum(['read', 'write']).default('write'),
    owner: z.enum(['me', 'project']).default('me'),
    expires_at: timestamp.optional().meta({ description: 'Defaults to never.' }),
  })
  .meta({ id: 'CreateStorageCredential', example: { description: 'Nightly backup' } });
export type CreateCredential = z.output<typeof createCredential>;

export const credentialQuery = listQuery({
  search: z.string().max(100).optional().meta({ description: 'Matches any part of description or access key.' }),
});

export const bytesOfGb = (gb: number) => Math.floor(gb * GB);
export const gbOfBytes = (bytes: number) => Math.round((bytes / GB) * 1e6) / 1e6;
