import { createHash } from 'node:crypto';
import { NIL } from 'uuid';
import { now } from '@/lib/clock';
import { type Caller, lesserRole, type Membership, type ProjectStatus, type Role, roles } from '@/lib/core/api/caller';
import { notFound } from '@/lib/core/api/errors';
import { isId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { log } from '@/lib/log';
import { readCookie, sessionCookies } from './cookies';
import { type Audience, verifyToken } from './session-token';
import { isLive } from './sessions';

/** The prefix of API tokens, by which people and secret scanners recognise them. */
export const API_TOKEN_PREFIX = 'neph_';

type Realm = 'tenant' | 'backoffice';

/**
 * Identifies the caller in a realm by bearer token (access token, API token, STS credentials), API token as a Basic
 * password, or session cookie.
 * Undefined when the credential is absent, invalid, expired or revoked; this is checked on every request.
 * @throws ApiError 404 when `X-Project-Id` names a project that the caller does not belong to
 */
export async function authenticate(headers: Headers, realm: Realm): Promise<Caller | undefined> {
  const authorization = headers.get('authorization');
  const bearer = authorization === null ? undefined : (bearerOf(authorization) ?? basicTokenOf(authorization));
  if (authorization !== null && bearer === undefined) return undefined;
  const project = realm === 'tenant' ? chosenProject(headers.get('x-project-id')) : null;

  if (bearer === undefined) {
    const cookie = readCookie(headers.get('cookie'), sessionCookies()[realm]);
    return cookie === undefined ? undefined : bySession(cookie, realm, 'cookie', project);
  }
  if (realm === 'tenant' && bearer.startsWith(API_TOKEN_PREFIX)) return byApiToken(bearer, project);
  return (
    (await bySession(bearer, realm, 'bearer', project)) ??
    (realm === 'tenant' ? byWorkload(bearer, project) : undefined)
  );
}

const bearerOf = (authorization: string) => /^Bearer +(\S+)$/i.exec(authorization)?.[1];

/**
 * An API token that is sent as the password of HTTP Basic (RFC 7617), with any user name: the only way for clients such as
 * promtool before 2.43. Nothing else is accepted this way, and no answer asks a browser for it.
 */
function basicTokenOf(authorization: string): string | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString();
  const password = pair.slice(pair.indexOf(':') + 1);
  return password.startsWith(API_TOKEN_PREFIX) ? password : undefined;
}

/** A malformed id belongs to no project; only callers with a valid credential learn that. */
function chosenProject(header: string | null): string | null {
  return header === null || isId(header) ? header : NIL;
}

/** The stored form of a credential that was shown once. Its entropy is high, so a plain hash is enough. */
export function credentialHash(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}

type MembershipRow = {
  project_id: string | null;
  project_status: ProjectStatus | null;
  functions_epoch: number | null;
  role_rank: number | null;
};

/** The highest role of a membership `m`, as a number for `roleOf`. */
export const roleRank = sql`(SELECT max(CASE role WHEN 'admin' THEN 2 WHEN 'member' THEN 1 ELSE 0 END) FROM role_assignments r
  WHERE r.project_id = m.project_id AND r.user_id = m.user_id)`;

/** The condition on `api_tokens t` and its creator `users u` for a valid token. */
export const isLiveToken = raw(`t.revoked_at IS NULL AND t.session_epoch >= u.tokens_from_epoch
  AND (t.expires_at IS NULL OR t.expires_at > platform_now())`);

/** The role of a rank. */
export function roleOf(rank: number | null): Role {
  return roles[rank ?? 0] ?? 'reader';
}

async function bySession(
  token: string,
  realm: Realm,
  via: 'bearer' | 'cookie',
  project: string | null,
): Promise<Caller | undefined> {
  const claims = verifyToken(realm satisfies Audience, token, now());
  if (!claims?.sid || !isId(claims.sid) || !isId(claims.sub)) return undefined;
  const row = await queryOne<
    MembershipRow & {
      user_id: string;
      email: string;
      name: string;
      administrator: boolean;
      second_factor: boolean;
      initial_password: boolean;
      stale: boolean;
    }
  >(sql`
    SELECT u.id AS user_id, u.email, u.name, u.administrator, u.totp_activated_at IS NOT NULL AS second_factor, u.initial_password,
      s.last_seen_at < platform_now() - interval '1 minute' AS stale,
      m.project_id, m.project_status, m.functions_epoch, m.role_rank
    FROM sessions s JOIN users u ON u.id = s.user_id
    LEFT JOIN LATERAL (
      SELECT m.project_id, p.status AS project_status, p.functions_epoch, ${roleRank} AS role_rank
      FROM memberships m JOIN projects p ON p.id = m.project_id
      WHERE s.realm = 'tenant' AND m.user_id = u.id AND m.status = 'active' AND (${project}::uuid IS NULL OR m.project_id = ${project}::uuid)
      ORDER BY m.created_at, m.project_id LIMIT 1
    ) m ON true
    WHERE s.id = ${claims.sid}::uuid AND s.user_id = ${claims.sub}::uuid AND ${isLive(realm)}`);
  if (!row) return undefined;
  if (row.stale) touchSession(claims.sid);
  const { user_id, email, name, initial_password } = row;
  const person = { user_id, email, name, session_id: claims.sid, via, initial_password };
  if (realm === 'backoffice') {
    return row.administrator ? { kind: 'administrator', ...person, second_factor: row.second_factor } : undefined;
  }
  if (project !== null && row.project_id === null) throw notFound('The project of X-Project-Id');
  const membership =
    row.project_id !== null && row.project_status !== null && row.functions_epoch !== null
      ? {
          project_id: row.project_id,
          project_status: row.project_status,
          role: roleOf(row.role_rank),
          functions_epoch: row.functions_epoch,
        }
      : null;
  return { kind: 'user', ...person, membership };
}

async function byApiToken(token: string, project: string | null): Promise<Caller | undefined> {
  const row = await queryOne<{
    id: string;
    name: string;
    user_id: string;
    role: Role;
    project_id: string;
    project_status: ProjectStatus;
    functions_epoch: number;
    role_rank: number | null;
    stale: boolean;
  }>(sql`
    SELECT t.id, t.name, t.user_id, t.role, t.project_id, p.status AS project_status, p.functions_epoch, ${roleRank} AS role_rank,
      t.last_used_at IS NULL OR t.last_used_at < platform_now() - interval '1 minute' AS stale
    FROM api_tokens t JOIN projects p ON p.id = t.project_id JOIN users u ON u.id = t.user_id
    JOIN memberships m ON m.project_id = t.project_id AND m.user_id = t.user_id AND m.status = 'active'
    WHERE t.token_hash = ${credentialHash(token)}::bytea AND ${isLiveToken}`);
  if (!row) return undefined;
  if (project !== null && project !== row.project_id) throw notFound('The project of X-Project-Id');
  if (row.stale) touchToken(row.id);
  const { id: token_id, name, user_id, project_id, project_status, functions_epoch } = row;
  const role = lesserRole(row.role, roleOf(row.role_rank));
  return { kind: 'token', token_id, name, user_id, membership: { project_id, project_status, role, functions_epoch } };
}

async function byWorkload(token: string, project: string | null): Promise<Caller | undefined> {
  const claims = verifyToken('workload', token, now());
  if (!claims) return undefined;
  const provider_id = String(claims.provider_id);
  const role = roles.find((known) => known === claims.role);
  if (!isId(provider_id) || !role) return undefined;
  const row = await queryOne<Omit<Membership, 'role'> & { max_role: Role }>(sql`
    SELECT i.project_id, p.status AS project_status, p.functions_epoch, i.max_role FROM identity_providers i JOIN projects p ON p.id = i.project_id
    WHERE i.id = ${provider_id}::uuid`);
  if (!row) return undefined;
  if (project !== null && project !== row.project_id) throw notFound('The project of X-Project-Id');
  const { max_role, ...facts } = row;
  const membership = { ...facts, role: lesserRole(role, max_role) };
  return { kind: 'workload', provider_id, subject: claims.sub, expires_at: new Date(claims.exp * 1000), membership };
}

/** Updates the last-seen time in the list of sessions, at most once a minute and in the background. */
function touchSession(id: string): void {
  execute(sql`UPDATE sessions SET last_seen_at = platform_now() WHERE id = ${id}::uuid`).catch((error) =>
    log.debug({ err: error }, 'a session could not be marked as seen'),
  );
}

function touchToken(id: string): void {
  execute(sql`UPDATE api_tokens SET last_used_at = platform_now() WHERE id = ${id}::uuid`).catch((error) =>
    log.debug({ err: error }, 'a token could not be marked as used'),
  );
}
