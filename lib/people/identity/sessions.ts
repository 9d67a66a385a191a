import type { AdministratorCall, PersonCall } from '@/lib/core/api/endpoint';
import { listOf } from '@/lib/core/api/list';
import { pageQuery } from '@/lib/core/api/pagination';
import { type AuditOrigin, auditInsert } from '@/lib/core/audit/entry';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { commit } from '@/lib/core/quota/commit';
import type { Account, Realm } from './account';
import type { Session } from './auth-schema';
import { signToken } from './session-token';

/** The origin of a sign-in. */
export type SignInOrigin = AuditOrigin & { address: string; user_agent: string };

/** A person acting on their own account, in either realm. */
export type AccountCall = PersonCall | AdministratorCall;

export type SessionKind = Session['kind'];

const HOUR_MS = 60 * 60 * 1000;
/** The maximum time from sign-in to the end. */
const lifetimeMs = {
  tenant: { access_token: HOUR_MS, browser: 7 * 24 * HOUR_MS },
  backoffice: { access_token: HOUR_MS, browser: 12 * HOUR_MS },
} as const satisfies Record<Realm, Record<SessionKind, number>>;

/** Idle time after which a browser session ends. */
const idleLimit = { tenant: raw("interval '12 hours'"), backoffice: raw("interval '1 hour'") } as const;

/** The condition on `sessions s` and its `users u` for a valid session of the realm. */
export function isLive(realm: Realm): Sql {
  return sql`s.realm = ${realm}::text AND s.revoked_at IS NULL AND s.epoch = u.session_epoch
    AND s.expires_at > platform_now()
    AND (s.kind <> 'browser' OR s.last_seen_at > platform_now() - ${idleLimit[realm]})`;
}

/** A new session with its token. */
export type OpenedSession = { session_id: string; token: string; expires_at: Date };

/**
 * Starts a session: one statement writes its row and audit entry. It has the epoch at which the password was checked,
 * so an action that ends all sessions also ends one that is just being created.
 */
export async function openSession(
  origin: SignInOrigin,
  account: Account,
  session: { realm: Realm; kind: SessionKind; second_factor: 'totp' | 'recovery_code' | null },
): Promise<OpenedSession> {
  const { realm, kind, second_factor } = session;
  const row: Prisma.SessionUncheckedCreateInput & { expires_at: Date } = {
    id: newId(),
    user_id: account.id,
    realm,
    kind,
    epoch: account.session_epoch,
    address: origin.address,
    user_agent: origin.user_agent,
    created_at: origin.at,
    last_seen_at: origin.at,
    expires_at: new Date(origin.at.getTime() + lifetimeMs[realm][kind]),
  };
  const audit = auditInsert(origin, {
    action: 'auth.login',
    actor: {
      actor_type: realm === 'tenant' ? 'user' : 'administrator',
      actor_id: account.id,
      actor_name: account.email,
    },
    project_id: null,
    result: 'succeeded',
    status: 200,
    resource: { type: 'session', id: row.id },
    details: { kind, second_factor },
  });
  await execute(sql`
    WITH forgotten AS (
      DELETE FROM sessions WHERE user_id = ${account.id}::uuid AND expires_at < platform_now() - interval '1 day'),
    session AS (${insert('sessions', row)}) ${audit}`);
  const token = await signToken(realm, { sub: account.id, sid: row.id }, origin.at, row.expires_at);
  return { session_id: row.id, token, expires_at: row.expires_at };
}

type Row = {
  id: string;
  kind: SessionKind;
  address: string;
  user_agent: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
};

/** The caller's own valid sessions in their realm, newest first. */
export const listSessions = listOf({
  query: pageQuery,
  columns: raw('s.id, s.kind, s.address, s.user_agent, s.created_at, s.last_seen_at, s.expires_at'),
  from: raw('sessions s JOIN users u ON u.id = s.user_id'),
  id: 's.id',
  where: (call: AccountCall) => sql`s.user_id = ${call.caller.user_id}::uuid AND ${isLive(realmOf(call))}`,
  filters: {},
  view: (row: Row, call): Session => ({
    ...row,
    current: row.id === call.caller.session_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.last_seen_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }),
});

/** Ends one of the caller's own sessions, from the very next request. @throws ApiError 404 */
export async function revokeSession(call: AccountCall, id: string): Promise<void> {
  await commit(call, {
    resource: { type: 'session', id },
    project_id: null,
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN sessions s ON s.id = ${id}::uuid
                JOIN users u ON u.id = s.user_id
                WHERE s.user_id = ${call.caller.user_id}::uuid AND ${isLive(realmOf(call))} FOR UPDATE OF s`,
    rows: {
      ended: sql`UPDATE sessions SET revoked_at = ${call.at}::timestamptz FROM verdict
                 WHERE verdict.ok AND sessions.id = ${id}::uuid`,
    },
  });
}

/** Signs the caller out everywhere, including here: all sessions of both realms, and pending challenges. */
export async function revokeAllSessions(call: AccountCall): Promise<void> {
  await commit(call, {
    resource: { type: 'user', id: call.caller.user_id, name: call.caller.email },
    topic: 'session',
    project_id: null,
    rows: { ended: endAllSessions(call.caller.user_id, raw('verdict WHERE verdict.ok')) },
  });
}

/** The statement that ends all sessions of a person; `from` decides, as in `insert`, and ends in a condition. */
export function endAllSessions(userId: string, from: Sql): Sql {
  return sql`UPDATE users SET session_epoch = users.session_epoch + 1 FROM ${from} AND users.id = ${userId}::uuid`;
}

/** Ends a portal session on sign-out. Does nothing if it has already ended. */
export async function signOut(
  origin: SignInOrigin,
  person: { session_id: string; user_id: string; email: string },
): Promise<void> {
  const { session_id, user_id, email } = person;
  const audit = auditInsert(
    origin,
    {
      action: 'auth.logout',
      actor: { actor_type: 'user', actor_id: user_id, actor_name: email },
      project_id: null,
      result: 'succeeded',
      status: 204,
      resource: { type: 'session', id: session_id },
    },
    raw('ended'),
  );
  await execute(sql`
    WITH ended AS (
      UPDATE sessions SET revoked_at = ${origin.at}::timestamptz
      WHERE id = ${session_id}::uuid AND user_id = ${user_id}::uuid AND revoked_at IS NULL RETURNING 1) ${audit}`);
}

function realmOf(call: AccountCall): Realm {
  return call.caller.kind === 'administrator' ? 'backoffice' : 'tenant';
}
