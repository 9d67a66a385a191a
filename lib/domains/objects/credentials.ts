import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, invalid, noSuch, notFound } from '@/lib/core/api/errors';
import { contains, listOf } from '@/lib/core/api/list';
import { actor } from '@/lib/core/audit/entry';
import { seal } from '@/lib/core/crypto/seal';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { commit } from '@/lib/core/quota/commit';
import { bindCredential } from '@/lib/people/identity/bound-credential';
import { settings } from '@/lib/settings';
import { bucketEngine } from './bucket-engine';
import { secretOf } from './s3/access';
import { type CreateCredential, type Credential, credentialQuery, type NewCredential } from './schema';

type Row = Omit<Credential, 'created_at' | 'last_used_at' | 'expires_at'> & {
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
};

const view = ({ created_at, last_used_at, expires_at, ...row }: Row): Credential => ({
  ...row,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
  expires_at: expires_at?.toISOString() ?? null,
});

/** The project's valid access keys, without their secrets. */
export const listCredentials = listOf({
  query: credentialQuery,
  columns: sql`c.id, c.access_key, c.description, b.name AS bucket, c.access, c.owner, c.created_by, c.created_at, c.last_used_at, c.expires_at`,
  from: sql`object_credentials c LEFT JOIN buckets b ON b.id = c.bucket_id`,
  id: 'c.id',
  where: ({ project_id }: ProjectCall) =>
    sql`c.project_id = ${project_id}::uuid AND NOT c.hidden AND (c.expires_at IS NULL OR c.expires_at > platform_now())`,
  filters: { search: contains('c.description', 'c.access_key') },
  view: (row: Row) => view(row),
});

const sealedFor = (projectId: string, id: string, secret: string) =>
  seal(Buffer.from(secret), `object_credential:${projectId}:${id}`);

/**
 * Creates an access key. Only the answer has its secret.
 * @throws ApiError 400 when it would have expired, 403 for `owner: project` without the role admin, 409 for too many
 */
export async function createCredential(call: ProjectCall, input: CreateCredential): Promise<NewCredential> {
  const expires_at = input.expires_at === undefined ? null : new Date(input.expires_at);
  if (expires_at !== null && expires_at <= call.at) throw invalid('expires_at: must be in the future.');
  const { caller } = call;
  if (input.owner === 'project' && call.role !== 'admin')
    throw new ApiError('FORBIDDEN', 'owner: only admins make access keys that belong to the project.');
  if (input.owner === 'me' && caller.kind === 'workload')
    throw new ApiError('FORBIDDEN', 'owner: a workload is no person. An admin can make a key with owner "project".');
  const bucketId = input.bucket === undefined ? null : await bucketIdOf(call, input.bucket);
  const id = newId();
  const key = { id, project_id: call.project_id, access: input.access, bucket: input.bucket ?? null };
  const { access_key, secret } = await bucketEngine().makeKey(key);
  const row: Row = {
    id,
    access_key,
    description: input.description,
    bucket: input.bucket ?? null,
    access: input.access,
    owner: input.owner,
    created_by: actor(caller).actor_name,
    created_at: call.at,
    last_used_at: null,
    expires_at,
  };
  const created = { ...view(row), secret_key: secret };
  const userId = input.owner === 'me' && caller.kind !== 'workload' ? caller.user_id : null;
  const write = commit(call, {
    resource: { type: 'access_key', id: row.id, name: row.access_key },
    topic: 'bucket',
    caps: [
      {
        held: sql`object_credentials_held(k.project_id)`,
        most: settings().s3KeysPerProject,
        setting: 'S3_KEYS_PER_PROJECT',
        holder: 'The project has',
        things: 'access keys of object storage',
      },
    ],
    rows: {
      credential: sql`INSERT INTO object_credentials (id, project_id, access_key, sealed_secret, description, bucket_id, access, owner, user_id, created_by,
          created_at, updated_at, expires_at)
        SELECT ${row.id}::uuid, ${call.project_id}::uuid, ${row.access_key}::text, ${sealedFor(call.project_id, row.id, secret)}::bytea, ${row.description}::text,
          ${bucketId}::uuid, ${row.access}::text, ${row.owner}::text, ${userId}::uuid, ${row.created_by}::text, ${call.at}::timestamptz, ${call.at}::timestamptz,
          ${expires_at}::timestamptz FROM verdict WHERE verdict.ok`,
    },
    details: { access: row.access, owner: row.owner, bucket: row.bucket },
    answer: { status: 201, body: created },
  });
  await write.catch(async (error) => {
    if (error instanceof ApiError) await bucketEngine().endKey(key);
    throw error;
  });
  return created;
}

async function bucketIdOf(call: ProjectCall, name: string): Promise<string> {
  const row = await queryOne<{ id: string }>(
    sql`SELECT id FROM buckets WHERE project_id = ${call.project_id}::uuid AND name = ${name}::text`,
  );
  if (!row) throw noSuch('bucket', 'bucket');
  return row.id;
}

/** Ends an access key at once. @throws ApiError 404 */
export async function deleteCredential(call: ProjectCall, id: string): Promise<void> {
  const found = await queryOne<{ access_key: string }>(sql`SELECT access_key FROM object_credentials
    WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid AND NOT hidden`);
  if (!found) throw notFound('The access key');
  await bucketEngine().endKey({ id, project_id: call.project_id });
  await commit(call, {
    resource: { type: 'access_key', id, name: found.access_key },
    topic: 'bucket',
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN object_credentials c ON c.project_id = k.project_id
                WHERE c.id = ${id}::uuid FOR UPDATE OF c`,
    rows: {
      gone: sql`DELETE FROM object_credentials USING verdict WHERE verdict.ok AND object_credentials.id = ${id}::uuid`,
    },
  });
}

/** The pair that signs addresses for the caller: what it may is what the caller's credential may, until that ends. */
export async function signingPair(call: ProjectCall): Promise<{ access_key: string; secret: string }> {
  const { credential, expires_at } = await bindCredential(call.caller);
  const bound = { session_id: null, session_epoch: null, token_id: null, provider_id: null, ...credential };
  // A person's or token's role is looked up at use; a workload's stands only in its credential.
  const access = call.caller.kind === 'workload' && call.role === 'reader' ? 'read' : 'write';
  const mine = sql`access = ${access}::text AND project_id = ${call.project_id}::uuid AND hidden AND session_id IS NOT DISTINCT FROM ${bound.session_id}::uuid
    AND session_epoch IS NOT DISTINCT FROM ${bound.session_epoch}::int AND token_id IS NOT DISTINCT FROM ${bound.token_id}::uuid
    AND provider_id IS NOT DISTINCT FROM ${bound.provider_id}::uuid AND expires_at IS NOT DISTINCT FROM ${expires_at}::timestamptz`;
  const present = await queryOne<{ id: string; project_id: string; access_key: string; sealed_secret: Buffer }>(
    sql`SELECT id, project_id, access_key, sealed_secret FROM object_credentials WHERE ${mine} LIMIT 1`,
  );
  if (present) return { access_key: present.access_key, secret: secretOf(present) };
  const id = newId();
  const level = call.role === 'reader' ? 'read' : access;
  const fresh = await bucketEngine().makeKey({ id, project_id: call.project_id, access: level, bucket: null });
  await execute(sql`INSERT INTO object_credentials (id, project_id, access_key, sealed_secret, description, access, owner, hidden,
      session_id, session_epoch, token_id, provider_id, created_by, created_at, updated_at, expires_at)
    VALUES (${id}::uuid, ${call.project_id}::uuid, ${fresh.access_key}::text, ${sealedFor(call.project_id, id, fresh.secret)}::bytea, '', ${access}::text,
      'me', true, ${bound.session_id}::uuid, ${bound.session_epoch}::int, ${bound.token_id}::uuid, ${bound.provider_id}::uuid,
      ${actor(call.caller).actor_name}::text, ${call.at}::timestamptz, ${call.at}::timestamptz, ${expires_at}::timestamptz)`);
  return fresh;
}
