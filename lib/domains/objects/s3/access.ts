import { includesRole, type Role, roles } from '@/lib/core/api/caller';
import { open } from '@/lib/core/crypto/seal';
import { batched } from '@/lib/core/db/batched';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';
import { type AccessRow, accessOf, type Names } from '../store/access';
import type { Seen } from '../store/rows';
import { S3Error } from './errors';
import type { LockRule } from './lock';
import { isSignedOlder, olderClaim } from './older-signature';
import { decide, parsePolicy, type Wish } from './policy';
import { header, type S3Request } from './request';
import { type Claim, claimOf, isSigned } from './signature';

const rights = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP'] as const;
type Right = (typeof rights)[number];
/** A right of one project, in an ACL. */
export type Grant = { id: string; permission: Right | 'FULL_CONTROL' };

export const isRight = (name: string | undefined): name is Grant['permission'] =>
  name === 'FULL_CONTROL' || rights.some((right) => right === name);

/** A bucket as requests need it. */
export type BucketRow = {
  id: string;
  project_id: string;
  name: string;
  acl: 'private' | 'public-read';
  public_write: boolean;
  grants: readonly Grant[] | null;
  quota_bytes: number | null;
  used_bytes: number;
  versioning: 'off' | 'enabled' | 'suspended';
  policy: string | null;
  cors: unknown;
  lifecycle: unknown;
  object_lock: LockRule | null;
  tags: Record<string, string> | null;
  created_at: Date;
};

/** The holder of a valid access key. */
export type Holder = {
  access_key: string;
  credential_id: string;
  project_id: string;
  role: Role;
  /** Whether the key may change things. */
  writes: boolean;
  /** The only bucket of the key. */
  bucket_id: string | null;
  description: string;
  user_id: string | null;
};

type Row = AccessRow<Omit<BucketRow, 'created_at'> & { created_at: string }>;

/** The secret of a key. Sealed to its row, so that no row can lend it to another. */
export const secretOf = (row: { id: string; project_id: string; sealed_secret: Uint8Array }) =>
  open(row.sealed_secret, `object_credential:${row.project_id}:${row.id}`).toString();

const MOST_LOOKED_UP = 64;

/** Keys and buckets of requests that come together, in one statement: memberships, roles and sessions count as they are now. */
const lookUp = batched(
  (names: readonly Names[]) => query<Row>(sql`SELECT * FROM ${accessOf(names)} ORDER BY place`),
  MOST_LOOKED_UP,
);

/** What a look-up said, and what the database confirms with a write that relies on it. */
type Access = { row: Row | undefined; bucket: BucketRow | undefined; seen: Seen };

/** The key and the bucket that a request names. @throws S3Error for a bucket of a suspended project */
async function look(accessKey: string | undefined, bucket: string | undefined): Promise<Access> {
  const row = await lookUp({ accessKey, bucket });
  const found = row.bucket ? { ...row.bucket, created_at: new Date(row.bucket.created_at) } : undefined;
  const access = { row: row.id ? row : undefined, bucket: found, seen: { accessKey, bucket, stamp: row.stamp } };
  if (row.bucket && row.bucket_status !== 'active')
    throw new S3Error('AccessDenied', 'The project of the bucket is suspended.');
  remember(access);
  return access;
}

/** So old, an access is looked up again even if it has not changed: this also marks a key as used. */
const KNOWN_MS = 10_000;
const MOST_KNOWN = 1000;
type Known = Access & { until: number };
const known = new Map<string, Known>();

const nameOf = (accessKey: string | undefined, bucket: string | undefined) => `${accessKey ?? ''} ${bucket ?? ''}`;

function remember(access: Access): void {
  if (known.size >= MOST_KNOWN) known.clear();
  const name = nameOf(access.seen.accessKey, access.seen.bucket);
  // A bucket with a quota refuses one object and not another, so its objects are written one by one.
  if (access.row && access.bucket?.quota_bytes === null)
    known.set(name, { ...access, until: performance.now() + KNOWN_MS });
  else known.delete(name);
}

/** Who asks, and for which bucket. */
export type Asked = {
  holder: Holder | undefined;
  bucket: BucketRow | undefined;
  claim: Claim | undefined;
  secret: string;
  /**
   * Set if this was not looked up for the request. It may only be used for a write that the database carries out if this access
   * still stands; a refusal needs a look-up.
   */
  seen?: Seen;
};

/**
 * Verifies the signature of a request. Anonymous ones have no holder.
 * @param hear is given the bucket before the signature is verified
 * @throws S3Error for every fault of the signature, and for a key that no longer counts
 */
export async function identify(
  request: S3Request,
  hear: (bucket: BucketRow | undefined) => void = () => {},
): Promise<Asked> {
  const claim = claimed(request);
  const access = await look(claim?.accessKey, request.bucket);
  hear(access.bucket);
  return verified(request, claim, access);
}

/** As `identify`, from a recent look-up, with `seen`; undefined without one. @throws S3Error, which says nothing for sure */
export function identifyKnown(request: S3Request): Asked | undefined {
  const claim = claimed(request);
  const access = known.get(nameOf(claim?.accessKey, request.bucket));
  if (!access || access.until < performance.now()) return undefined;
  return { ...verified(request, claim, access), seen: access.seen };
}

function claimed(request: S3Request): Claim | undefined {
  const { region } = settings().s3;
  return olderClaim(request, region) ?? claimOf(request, region);
}

function verified(request: S3Request, claim: Claim | undefined, { row, bucket }: Access): Asked {
  if (!claim) return { holder: undefined, bucket, claim, secret: '' };
  const { holder, secret } = holderOf(row, claim.accessKey);
  const isGenuine = claim.isOlder ? isSignedOlder(request, claim, secret) : isSigned(request, claim, secret);
  if (!isGenuine) throw new S3Error('SignatureDoesNotMatch');
  return { holder, bucket, claim, secret };
}

/** A bucket by its name. */
export async function identifyBucket(name: string): Promise<BucketRow | undefined> {
  return (await look(undefined, name)).bucket;
}

/** The holder of a key that signs something else than a whole request. @throws S3Error */
export async function identifyKey(accessKey: string, bucket: string | undefined): Promise<Asked & { holder: Holder }> {
  const found = await look(accessKey, bucket);
  return { ...holderOf(found.row, accessKey), bucket: found.bucket, claim: undefined };
}

function holderOf(row: Row | undefined, accessKey: string): { holder: Holder; secret: string } {
  if (!row?.id || row.role_rank === null || !row.counts) throw new S3Error('InvalidAccessKeyId');
  if (row.project_status !== 'active') throw new S3Error('AccessDenied', 'The project is suspended.');
  if (row.stale) touch(row.id);
  row.stale = false;
  const role = roles[row.role_rank] ?? 'reader';
  return {
    secret: secretIn(row, row.id),
    holder: {
      access_key: accessKey,
      credential_id: row.id,
      project_id: row.project_id,
      role,
      writes: row.access === 'write' && includesRole(role, 'member'),
      bucket_id: row.bucket_limit,
      description: row.description,
      user_id: row.user_id,
    },
  };
}

const secrets = new WeakMap<Row, string>();

/** The secret of a key, opened once for each look-up. */
function secretIn(row: Row, id: string): string {
  const secret = secrets.get(row) ?? secretOf({ ...row, id });
  secrets.set(row, secret);
  return secret;
}

function touch(id: string): void {
  execute(sql`UPDATE object_credentials SET last_used_at = platform_now() WHERE id = ${id}::uuid`).catch((error) =>
    log.debug({ err: error }, 'an access key could not be marked as used'),
  );
}

/** What an operation does, for keys without `write`. */
export type Kind = 'read' | 'write';

export type Permission = {
  /** `s3:GetObject` */
  action: string;
  kind: Kind;
  key?: string | undefined;
  /** Whether everyone may, by an ACL. */
  isPublic?: boolean;
  /** Rights of single projects, and the one that is needed. */
  grants?: { of: readonly Grant[] | null | undefined; right: Right };
  /** Condition keys of this operation, in lower case. */
  context?: Record<string, string | undefined>;
  /** A policy can't lock its own project out of the policy. */
  unlockable?: boolean;
};

/** @throws S3Error AccessDenied */
export function requirePermission(
  request: S3Request,
  { holder, bucket }: Pick<Asked, 'holder' | 'bucket'>,
  wish: Permission,
): void {
  if (!isPermitted(request, holder, bucket, wish)) throw new S3Error('AccessDenied');
}

/** Whether the holder may: by its role in the bucket's project, by the policy, or because everyone may. */
export function isPermitted(
  request: S3Request,
  holder: Holder | undefined,
  bucket: BucketRow | undefined,
  { action, kind, key, isPublic = false, context = {}, unlockable = false, grants }: Permission,
): boolean {
  const limited = holder?.bucket_id && holder.bucket_id !== bucket?.id;
  const ableKey = !holder || kind === 'read' || holder.writes;
  // A key that may not do something itself may do no more than everyone.
  if (limited || !ableKey) return isPublic && bucket !== undefined && said() !== 'Deny';
  const own = holder !== undefined && (bucket === undefined || bucket.project_id === holder.project_id);
  if (own && unlockable) return true;
  const decision = said();
  if (decision !== undefined) return decision === 'Allow';
  return own || isPublic || isGranted();

  function isGranted(): boolean {
    const given = (grants?.of ?? []).filter(({ id }) => id === holder?.project_id);
    return given.some(({ permission }) => permission === 'FULL_CONTROL' || permission === grants?.right);
  }

  function said() {
    if (!bucket?.policy) return undefined;
    return decide(parsePolicy(bucket.policy, bucket.name), wishOf(request, holder, bucket, action, key, context));
  }
}

function wishOf(
  request: S3Request,
  holder: Holder | undefined,
  bucket: BucketRow,
  action: string,
  key: string | undefined,
  context: Record<string, string | undefined>,
): Wish {
  const values: Record<string, string | undefined> = {
    'aws:sourceip': request.address,
    'aws:securetransport': String(request.isSecure),
    'aws:useragent': header(request, 'user-agent'),
    'aws:referer': header(request, 'referer'),
    's3:x-amz-acl': header(request, 'x-amz-acl'),
    's3:x-amz-copy-source': header(request, 'x-amz-copy-source'),
    's3:x-amz-metadata-directive': header(request, 'x-amz-metadata-directive'),
    's3:x-amz-content-sha256': header(request, 'x-amz-content-sha256'),
    's3:prefix': request.query.get('prefix'),
    's3:delimiter': request.query.get('delimiter'),
    's3:max-keys': request.query.get('max-keys'),
    's3:versionid': request.query.get('versionId'),
    ...context,
  };
  const known = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    action,
    resource: `arn:aws:s3:::${bucket.name}${key === undefined ? '' : `/${key}`}`,
    principals: holder
      ? [
          holder.project_id,
          `arn:aws:iam::${holder.project_id}:root`,
          `arn:aws:iam::${holder.project_id}:user/${holder.access_key}`,
        ]
      : [],
    context: new Map(known),
  };
}
