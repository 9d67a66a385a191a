import { lesserRole, type ProjectStatus, type Role } from '@/lib/core/api/caller';
import type { AnyEndpoint, TenantCall } from '@/lib/core/api/endpoint';
import { ApiError, noSuch } from '@/lib/core/api/errors';
import { decide, type Subject } from '@/lib/core/api/policy';
import { endpointAt } from '@/lib/core/api/routes';
import { isId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { roleOf, roleRank } from '@/lib/people/identity/authenticate';
import type { Simulate, Simulation } from './schema';

/** The simulated identity: its subject, its owner, and the reason why it has less access than expected. */
type Identity = { subject: Subject | undefined; owner?: string; shortfall?: string };

/**
 * Whether an identity may call an endpoint now, by the same decision as for a real request (spec 5.5).
 * @throws ApiError 403 when the caller may not ask about another identity, 404 when the project has no such identity
 */
export async function simulate(
  call: TenantCall,
  { identity, method, path }: Simulate,
  endpoints: readonly AnyEndpoint[],
): Promise<Simulation> {
  const { subject, shortfall } = await identityOf(call, identity);
  const endpoint = endpointAt(endpoints, method, path);
  if (!endpoint)
    return {
      allowed: false,
      reason: `No endpoint answers ${method} ${path}; see /docs for the full list.`,
      matched: [],
    };
  const { allowed, reason, matched } = decide(subject, endpoint.access);
  return {
    allowed,
    reason: !allowed && shortfall ? shortfall : reason,
    matched: [`endpoint:${endpoint.operation_id}`, ...matched],
  };
}

/** The current state of the identity. Anyone can ask about themselves and their tokens, an admin about others. */
async function identityOf({ caller }: TenantCall, asked: Simulate['identity']): Promise<Identity> {
  if (isCaller(caller, asked)) return { subject: caller };
  const found = await find(caller.membership?.project_id, asked);
  const isOwnToken = caller.kind === 'user' && found?.owner === caller.user_id;
  if (!isOwnToken && caller.membership?.role !== 'admin') {
    throw new ApiError('FORBIDDEN', 'identity: only a project admin may check other identities.');
  }
  if (found) return found;
  throw asked.user_id === undefined ? noSuch('identity.token_id', 'token') : noSuch('identity.user_id', 'user');
}

function isCaller(caller: TenantCall['caller'], { user_id, token_id }: Simulate['identity']): boolean {
  if (caller.kind === 'user') return user_id?.toLowerCase() === caller.user_id;
  return caller.kind === 'token' && token_id?.toLowerCase() === caller.token_id;
}

async function find(
  projectId: string | undefined,
  { user_id, token_id }: Simulate['identity'],
): Promise<Identity | undefined> {
  const id = user_id ?? token_id;
  if (projectId === undefined || id === undefined || !isId(id)) return undefined;
  return user_id === undefined ? tokenOf(projectId, id) : userOf(projectId, id);
}

async function userOf(projectId: string, userId: string): Promise<Identity | undefined> {
  const row = await queryOne<{ status: string; project_status: ProjectStatus; role_rank: number | null }>(sql`
    SELECT m.status, p.status AS project_status, ${roleRank} AS role_rank
    FROM memberships m JOIN projects p ON p.id = m.project_id
    WHERE m.project_id = ${projectId}::uuid AND m.user_id = ${userId}::uuid`);
  if (!row) return undefined;
  if (row.status !== 'active') {
    const shortfall = 'The user has not yet accepted the invitation to the project.';
    return { subject: { kind: 'user', membership: null }, shortfall };
  }
  const { project_status } = row;
  return { subject: { kind: 'user', membership: { role: roleOf(row.role_rank), project_status } } };
}

async function tokenOf(projectId: string, tokenId: string): Promise<Identity | undefined> {
  const row = await queryOne<{
    owner: string;
    role: Role;
    revoked: boolean;
    expired: boolean;
    project_status: ProjectStatus;
    role_rank: number | null;
  }>(sql`
    SELECT t.user_id AS owner, t.role, t.revoked_at IS NOT NULL AS revoked,
      t.expires_at IS NOT NULL AND t.expires_at <= platform_now() AS expired,
      p.status AS project_status, ${roleRank} AS role_rank
    FROM api_tokens t JOIN projects p ON p.id = t.project_id
    JOIN memberships m ON m.project_id = t.project_id AND m.user_id = t.user_id AND m.status = 'active'
    WHERE t.project_id = ${projectId}::uuid AND t.id = ${tokenId}::uuid`);
  if (!row) return undefined;
  const { owner, project_status } = row;
  if (row.revoked) return { subject: undefined, owner, shortfall: 'The token was revoked.' };
  if (row.expired) return { subject: undefined, owner, shortfall: 'The token has expired.' };
  const role = lesserRole(row.role, roleOf(row.role_rank));
  return { subject: { kind: 'token', membership: { role, project_status } }, owner };
}
