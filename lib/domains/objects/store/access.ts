import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { roleRank } from '@/lib/people/identity/authenticate';
import { credentialCounts } from '@/lib/people/identity/bound-credential';

/** What a request names: its access key, and its bucket. */
export type Names = { accessKey: string | undefined; bucket: string | undefined };

/** What the database says of a key, its holder's role and a bucket, at one moment. `Bucket`: a row of `buckets` as JSON. */
export type AccessRow<Bucket> = {
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
  /** Index in `roles`; null: none any more. */
  role_rank: number | null;
  counts: boolean;
  stale: boolean;
  bucket_status: string | null;
  bucket: Bucket | null;
  /** Changes with everything that decides on access, and with the settings of the bucket. */
  stamp: string;
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

/** Columns of a bucket that say nothing of access. A bucket with a quota is never known (`s3/access.ts`). */
const COUNTED = raw(`'{objects,used_bytes,swept_at}'::text[]`);

/**
 * The access of each of these keys to its bucket as it is now, in order, as a table `now`. The arrays are in sub-selects so that the
 * planner does not count on their lengths: otherwise PostgreSQL would plan the statement anew each time, which takes several times as
 * long as running it.
 */
export const accessOf = (names: readonly Names[]): Sql => sql`(
  SELECT found.*, c.last_used_at IS NULL OR c.last_used_at < platform_now() - interval '1 minute' AS stale, to_jsonb(b) AS bucket,
    md5(to_jsonb(found)::text || coalesce((to_jsonb(b) - ${COUNTED})::text, '')) AS stamp
  FROM unnest((SELECT ${names.map(({ accessKey }) => accessKey ?? null)}::text[]), (SELECT ${names.map(({ bucket }) => bucket ?? null)}::text[]))
    WITH ORDINALITY AS asked (access_key, bucket, place)
  LEFT JOIN object_credentials c ON c.access_key = asked.access_key AND (c.expires_at IS NULL OR c.expires_at > platform_now())
  LEFT JOIN projects p ON p.id = c.project_id
  LEFT JOIN buckets b ON b.name = asked.bucket AND b.external_id IS NULL
  CROSS JOIN LATERAL (SELECT asked.place::int AS place, c.id, c.project_id, p.status AS project_status, c.sealed_secret, c.access, c.owner, c.hidden,
    c.bucket_id AS bucket_limit, c.description, c.user_id, ${keyRank} AS role_rank, ${keyCounts} AS counts,
    (SELECT o.status FROM projects o WHERE o.id = b.project_id) AS bucket_status) AS found) AS now`;
