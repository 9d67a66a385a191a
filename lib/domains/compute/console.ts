import { randomBytes } from 'node:crypto';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict, notFound } from '@/lib/core/api/errors';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { engineOf, hasEngineOf } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { credentialHash } from '@/lib/people/identity/authenticate';
import { bindCredential, credentialCounts } from '@/lib/people/identity/bound-credential';
import { readCookie } from '@/lib/people/identity/cookies';
import { settings } from '@/lib/settings';
import type { ConsoleLog, InstanceConsole } from './schema';

const TICKET_S = 60;
/** However long its credential lasts. */
const SESSION_S = 4 * 60 * 60;

/** Where consoles are: the page of one, and its WebSockets below it. The cookie belongs to this path alone. */
export const CONSOLE_PATH = '/console/';
const consolePath = (instanceId: string) => `${CONSOLE_PATH}${instanceId}`;

type InstanceFacts = { name: string; status: string; cell_id: string };

async function findInstance(call: ProjectCall, id: string): Promise<InstanceFacts> {
  const found = await queryOne<InstanceFacts>(
    sql`SELECT name, status, cell_id FROM instances WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`,
  );
  if (!found) throw notFound('The instance');
  return found;
}

/**
 * A console of the instance: a URL with a ticket that opens it once. It ends with the credential of the call.
 * @throws ApiError 404, 409 while the machine is off
 */
export async function openConsole(call: ProjectCall, id: string): Promise<InstanceConsole> {
  const { name, status } = await findInstance(call, id);
  if (!['active', 'paused', 'rebooting'].includes(status)) {
    throw conflict(`Instance ${name} is ${status}; the console is available when it is active.`);
  }
  const ticket = randomBytes(32).toString('base64url');
  const { credential, expires_at: credentialEnd } = await bindCredential(call.caller);
  const longest = call.at.getTime() + SESSION_S * 1000;
  const expires_at = new Date(Math.min(longest, credentialEnd?.getTime() ?? longest));
  const session: Prisma.ConsoleSessionUncheckedCreateInput = {
    id: newId(),
    project_id: call.project_id,
    instance_id: id,
    user_id: 'user_id' in call.caller ? call.caller.user_id : null,
    ...credential,
    ticket_hash: new Uint8Array(credentialHash(ticket)),
    ticket_expires_at: new Date(call.at.getTime() + TICKET_S * 1000),
    expires_at,
    created_at: call.at,
  };
  await commit(call, {
    resource: { type: 'instance', id, name },
    rows: { session: insert('console_sessions', session, ifAdmitted) },
  });
  const url = `${settings().baseUrl}${consolePath(id)}/open?ticket=${ticket}`;
  return { type: 'vnc', url, expires_at: expires_at.toISOString() };
}

/** A right to a console that holds now. `caller_id`: the person behind it, or a workload's identity provider. */
export type ConsoleAccess = {
  instance_id: string;
  name: string;
  cell_id: string;
  caller_id: string;
  expires_at: Date;
};

// The role of a token or of a workload never changes; that of the person behind it may.
const allowed = sql`${credentialCounts} AND (c.user_id IS NULL OR EXISTS (
    SELECT FROM memberships m JOIN role_assignments r ON r.project_id = m.project_id AND r.user_id = m.user_id
    WHERE m.project_id = c.project_id AND m.user_id = c.user_id AND m.status = 'active' AND r.role IN ('member', 'admin')))
  AND EXISTS (SELECT FROM projects p WHERE p.id = c.project_id AND p.status = 'active')`;

/**
 * Exchanges a ticket for the cookie of its console, once.
 * @returns the value of `Set-Cookie`; undefined for a ticket that is used, expired or of another instance
 */
export async function exchangeTicket(instanceId: string, ticket: string): Promise<string | undefined> {
  if (!isId(instanceId)) return undefined;
  const secret = randomBytes(32).toString('base64url');
  const exchanged = await queryOne<{ seconds: number }>(sql`
    UPDATE console_sessions c SET cookie_hash = ${credentialHash(secret)}::bytea
    WHERE c.ticket_hash = ${credentialHash(ticket)}::bytea AND c.instance_id = ${instanceId}::uuid AND c.cookie_hash IS NULL
      AND c.ticket_expires_at > platform_now() AND ${allowed}
    RETURNING floor(extract(epoch FROM c.expires_at - platform_now()))::int AS seconds`);
  if (!exchanged) return undefined;
  const { name, secure } = consoleCookie();
  const attributes = [`Path=${consolePath(instanceId)}`, `Max-Age=${exchanged.seconds}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${name}=${secret}`, ...attributes, ...(secure ? ['Secure'] : [])].join('; ');
}

function consoleCookie(): { name: string; secure: boolean } {
  const secure = settings().baseUrl.startsWith('https:');
  return { name: secure ? '__Secure-nephele_console' : 'nephele_console', secure };
}

/** The console session of a `Cookie` header for this instance; undefined when it is missing, wrong or has ended. */
export async function consoleAccess(instanceId: string, cookies: string | null): Promise<ConsoleAccess | undefined> {
  const secret = readCookie(cookies, consoleCookie().name);
  if (secret === undefined || !isId(instanceId)) return undefined;
  return queryOne<ConsoleAccess>(sql`
    SELECT c.instance_id, i.name, i.cell_id, coalesce(c.user_id, c.provider_id) AS caller_id, c.expires_at FROM console_sessions c JOIN instances i ON i.id = c.instance_id
    WHERE c.cookie_hash = ${credentialHash(secret)}::bytea AND c.instance_id = ${instanceId}::uuid
      AND c.expires_at > platform_now() AND ${allowed}`);
}

/** The first request of a console's page: sets the cookie and leads to the page, which says so where it can't. */
export async function answerTicket(instanceId: string, query: URLSearchParams): Promise<Response> {
  const ticket = query.get('ticket');
  const cookie = ticket === null ? undefined : await exchangeTicket(instanceId, ticket);
  const part = query.get('part') === 'terminal' ? '?part=terminal' : '';
  const Location = `${consolePath(encodeURIComponent(instanceId))}${part}`;
  const headers = new Headers({ Location, 'Cache-Control': 'no-store' });
  headers.set('Referrer-Policy', 'no-referrer');
  if (cookie !== undefined) headers.set('Set-Cookie', cookie);
  return new Response(null, { status: 303, headers });
}

/** The last lines of what the guest wrote to its serial port. @throws ApiError 404, 503 where they are on another host */
export async function readConsoleLog(call: ProjectCall, id: string, lines: number): Promise<ConsoleLog> {
  const { cell_id } = await findInstance(call, id);
  requireEngineOf(cell_id);
  try {
    return await engineOf(cell_id).compute.consoleLog(id, lines);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'NOT_FOUND') return { output: '', truncated: false };
    throw error;
  }
}

function requireEngineOf(cellId: string): void {
  if (!hasEngineOf(cellId)) {
    throw new ApiError(
      'ENGINE_UNAVAILABLE',
      `The instance is on host ${cellId}; use the address of the platform on that host.`,
    );
  }
}
