import { includesRole, type Role, roles } from '@/lib/core/api/caller';
import { open } from '@/lib/core/crypto/seal';
import { batched } from '@/lib/core/db/batched';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { roleRank } from '@/lib/people/identity/authenticate';
import { credentialCounts } from '@/lib/people/identity/bound-credential';
import { settings } from '@/lib/settings';
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

type Row = {
  id: string | null;
  project_id: string;
  project_status: string;
  sealed_secret: Buffer;
  access: 'read' | 'write';
  owner: 'me' | 'project';
  hidden: boolean;
  bucket_limit: string | null;
  description: string;
  user_id: string | null;
  role_rank: number | null;
  counts: boolean;
  stale: boolean;
  bucket_status: string | null;
  bucket: (Omit<BucketRow, 'created_at'> & { created_at: string }) | null;
};

/** What a hidden key's credential allows now: the lower of a token's role and its creator's. */
const boundRank = sql`CASE
  WHEN c.token_id IS NOT NULL THEN (SELECT least(CASE t.role WHEN 'admin' THEN 2 WHEN 'member' THEN 1 ELSE 0 END, ${roleRank})
    FROM api_tokens t JOIN memberships m ON m.project_id = t.project_id AND m.user_id = t.user_id AND m.status = 'active' WHERE t.id = c.token_id)
  WHEN c.session_id IS NOT NULL THEN (SELECT ${roleRank} FROM sessions s JOIN memberships m ON m.user_id = s.user_id AND m.status = 'active'
    WHERE s.id = c.session_id AND m.project_id = c.project_id)
  ELSE 2 END`;

/** The rank of the role that a key `c` has now; null: none any more. */
export const keyRank = sql`CASE WHEN c.hidden THEN ${boundRank} WHEN c.owner = 'project' THEN 1
        ELSE (SELECT ${roleRank} FROM memberships m WHERE m.project_id = c.project_id AND m.user_id = c.user_id AND m.status = 'active') END`;
/** Whether the credential that a hidden key `c` is bound to is still valid. */
export const keyCounts = sql`CASE WHEN c.hidden THEN ${credentialCounts} ELSE true END`;

/** The secret of a key. Sealed to its row, so that no row can lend it to another. */
export const secretOf = (row: { id: string; project_id: string; sealed_secret: Uint8Array }) =>
  open(row.sealed_secret, `object_credential:${row.project_id}:${row.id}`).toString();

type Names = { accessKey: string | undefined; bucket: string | undefined };

const MOST_LOOKED_UP = 64;

/** Keys and buckets of requests that come together, in one statement: memberships, roles and sessions count as they are now. */
const lookUp = batched(
  (names: readonly Names[]) =>
    query<Row>(sql`
    SELECT c.id, c.project_id, p.status AS project_status, c.sealed_secret, c.access, c.owner, c.hidden, c.bucket_id AS bucket_limit, c.description, c.user_id,
      ${keyRank} AS role_rank, ${keyCounts} AS counts,
      c.last_used_at IS NULL OR c.last_used_at < platform_now() - interval '1 minute' AS stale,
      (SELECT o.status FROM projects o WHERE o.id = b.project_id) AS bucket_status, to_jsonb(b) AS bucket
    FROM unnest(${names.map(({ accessKey }) => accessKey ?? null)}::text[], ${names.map(({ bucket }) => bucket ?? null)}::text[])
      WITH ORDINALITY AS asked (access_key, bucket, place)
    LEFT JOIN object_credentials c ON c.access_key = asked.access_key AND (c.expires_at IS NULL OR c.expires_at > platform_now())
    LEFT JOIN projects p ON p.id = c.project_id
    LEFT JOIN buckets b ON b.name = asked.bucket AND b.external_id IS NULL
    ORDER BY asked.place`),
  MOST_LOOKED_UP,
);

/** The key and the bucket that a request names. */
async function look(
  accessKey: string | undefined,
  bucket: string | undefined,
): Promise<{ row: Row | undefined; bucket: BucketRow | undefined }> {
  const row = await lookUp({ accessKey, bucket });
  if (row.bucket && row.bucket_status !== 'active')
    throw new S3Error('AccessDenied', 'The project of the bucket is suspended.');
  const found = row.bucket ? { ...row.bucket, created_at: new Date(row.bucket.created_at) } : undefined;
  return { row: row.id ? row : undefined, bucket: found };
}

/** Who asks, and for which bucket. */
export type Asked = {
  holder: Holder | undefined;
  bucket: BucketRow | undefined;
  claim: Claim | undefined;
  secret: string;
};

/**
 * Verifies the signature of a request. Anonymous ones have no holder.
 * @throws S3Error for every fault of the signature, and for a key that no longer counts
 */
export async function identify(request: S3Request): Promise<Asked> {
  const { region } = settings().s3;
  const claim = olderClaim(request, region) ?? claimOf(request, region);
  const { row, bucket } = await look(claim?.accessKey, request.bucket);
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
  const role = roles[row.role_rank] ?? 'reader';
  return {
    secret: secretOf({ ...row, id: row.id }),
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
