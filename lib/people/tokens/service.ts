import { randomBytes } from 'node:crypto';
import { includesRole, type Role } from '@/lib/core/api/caller';
import type { ProjectCall, ProjectPersonCall } from '@/lib/core/api/endpoint';
import { ApiError, invalid, notFound } from '@/lib/core/api/errors';
import { contains, equals, type Filters, listOf, oneOf } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { type NewRow, raw, type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { tokenInsert, tokenRevocation } from '@/lib/people/identity/account-rows';
import { API_TOKEN_PREFIX, credentialHash } from '@/lib/people/identity/authenticate';
import { settings } from '@/lib/settings';
import {
  type ApiToken,
  type CreateToken,
  type NewToken,
  type ProjectToken,
  projectTokenQuery,
  tokenQuery,
} from './schema';

const SECRET_BYTES = 32;
/** Enough characters to tell tokens apart, without helping to guess the rest. */
const SHOWN_CHARACTERS = API_TOKEN_PREFIX.length + 6;

type Row = {
  id: string;
  project_id: string;
  name: string;
  role: Role;
  prefix: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
  updated_at: Date;
};
type ProjectRow = Row & { user_id: string; user_email: string };

const columns = `t.id, t.project_id, t.name, t.role, t.prefix, t.expires_at, t.last_used_at, t.created_at, t.updated_at`;

function view(row: Row, at: Date): ApiToken {
  return {
    ...row,
    status: row.expires_at !== null && row.expires_at <= at ? 'expired' : 'active',
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const expired = '(t.expires_at IS NOT NULL AND t.expires_at <= platform_now())';
const filters = {
  name: equals('t.name'),
  status: oneOf({ expired, active: `NOT ${expired}` }),
  search: contains('t.name'),
} satisfies Filters<typeof tokenQuery>;
const ofProject = ({ project_id }: ProjectCall | ProjectPersonCall) =>
  sql`t.project_id = ${project_id}::uuid AND t.revoked_at IS NULL`;

/** The caller's own tokens in the current project, without revoked ones. */
export const listOwnTokens = listOf({
  query: tokenQuery,
  columns: raw(columns),
  from: raw('api_tokens t'),
  id: 't.id',
  where: (call: ProjectPersonCall) => sql`${ofProject(call)} AND t.user_id = ${call.caller.user_id}::uuid`,
  filters,
  sort: { name: 't.name' },
  view: (row: Row, call) => view(row, call.at),
});

/** All tokens of the project, with their creators. */
export const listProjectTokens = listOf({
  query: projectTokenQuery,
  columns: raw(`${columns}, t.user_id, u.email AS user_email`),
  from: raw('api_tokens t JOIN users u ON u.id = t.user_id'),
  id: 't.id',
  where: (call: ProjectCall) => ofProject(call),
  filters: { ...filters, user_id: (id) => (isId(id) ? sql`t.user_id = ${id}::uuid` : raw('false')) },
  sort: { name: 't.name' },
  view: (row: ProjectRow, call): ProjectToken => ({
    ...view(row, call.at),
    user_id: row.user_id,
    user_email: row.user_email,
  }),
});

/**
 * Creates a token for the caller in the current project. Only the answer contains its text: the database stores a hash.
 * @throws ApiError 403 when the role is above the caller's own, 400 when it would already have expired, 409 when the
 * caller has too many
 */
export async function createToken(call: ProjectPersonCall, input: CreateToken): Promise<NewToken> {
  if (!includesRole(call.role, input.role)) {
    throw new ApiError('FORBIDDEN', `role: a token cannot have more than your own role, which is ${call.role}.`);
  }
  const expires_at = input.expires_at === undefined ? null : new Date(input.expires_at);
  if (expires_at !== null && expires_at <= call.at) throw invalid('expires_at: must be in the future.');
  const token = API_TOKEN_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  const row: Row = {
    id: newId(),
    project_id: call.project_id,
    name: input.name,
    role: input.role,
    prefix: token.slice(0, SHOWN_CHARACTERS),
    expires_at,
    last_used_at: null,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = { ...view(row, call.at), token };
  const stored: NewRow<Prisma.ApiTokenUncheckedCreateInput> = {
    ...row,
    user_id: call.caller.user_id,
    token_hash: new Uint8Array(credentialHash(token)),
    session_epoch: raw('target.session_epoch'),
  };
  await commit(call, {
    resource: { type: 'api_token', id: row.id, name: row.name },
    target: sql`SELECT s.epoch = u.session_epoch AND s.revoked_at IS NULL AS allowed, NULL::text AS state, u.session_epoch
                FROM k JOIN sessions s ON s.id = ${call.caller.session_id}::uuid JOIN users u ON u.id = s.user_id`,
    forbidden: () => new ApiError('UNAUTHENTICATED', 'Your session has ended. Sign in again.'),
    caps: [
      {
        held: sql`valid_tokens_held(k.project_id, ${call.caller.user_id}::uuid)`,
        most: settings().tokensPerUser,
        setting: 'TOKENS_PER_USER',
        holder: 'You have',
        things: 'valid API tokens in this project',
      },
    ],
    rows: { token: tokenInsert(stored, raw('verdict CROSS JOIN target WHERE verdict.ok')) },
    details: { role: row.role, prefix: row.prefix, expires_at: created.expires_at },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Revokes one of the caller's own tokens, from the very next request. @throws ApiError 404 */
export function revokeOwnToken(call: ProjectPersonCall, id: string): Promise<void> {
  return revoke(call, id, sql`t.user_id = ${call.caller.user_id}::uuid`);
}

/** Revokes any token of the project. @throws ApiError 404 */
export function revokeProjectToken(call: ProjectCall, id: string): Promise<void> {
  return revoke(call, id, raw('true'));
}

async function revoke(call: ProjectCall, id: string, whose: Sql): Promise<void> {
  const found = await queryOne<{ name: string }>(
    sql`SELECT t.name FROM api_tokens t WHERE t.project_id = ${call.project_id}::uuid AND t.id = ${id}::uuid
        AND t.revoked_at IS NULL AND ${whose}`,
  );
  if (!found) throw notFound('The token');
  await commit(call, {
    resource: { type: 'api_token', id, name: found.name },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN api_tokens t ON t.project_id = k.project_id
                WHERE t.id = ${id}::uuid AND t.revoked_at IS NULL FOR UPDATE OF t`,
    rows: {
      revoked: tokenRevocation(id, call.at, ifAdmitted),
    },
  });
}
