import type { Role } from '@/lib/core/api/caller';
import type { PersonCall } from '@/lib/core/api/endpoint';
import { ApiError, notFound } from '@/lib/core/api/errors';
import { listOf } from '@/lib/core/api/list';
import { pageQuery } from '@/lib/core/api/pagination';
import { queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { commit, type Write } from '@/lib/core/quota/commit';
import { acceptanceHash } from '@/lib/people/identity/acceptance-code';
import { guardAttempt } from '@/lib/people/identity/attempts';
import type { Invitation } from './schema';
import { highestFirst } from './users';

const columns = raw(`project_id AS id, project_name, project_slug, status, roles, invited_by, at, updated_at`);

const invitations = raw(`(
  SELECT m.project_id, m.user_id, p.name AS project_name, p.slug AS project_slug, m.status, m.invited_by, m.created_at AS at, m.updated_at,
    ARRAY(SELECT r.role FROM role_assignments r WHERE r.project_id = m.project_id AND r.user_id = m.user_id) AS roles
  FROM memberships m JOIN projects p ON p.id = m.project_id) AS invitation`);

type Row = {
  /** The id of the project. */
  id: string;
  project_name: string;
  project_slug: string;
  status: Invitation['status'];
  roles: Role[];
  invited_by: string | null;
  at: Date;
  updated_at: Date;
};

function view({ id, at, ...row }: Row): Invitation {
  return {
    ...row,
    project_id: id,
    roles: highestFirst(row.roles),
    created_at: at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The caller's unanswered invitations. */
export const listInvitations = listOf({
  query: pageQuery,
  columns,
  from: invitations,
  id: 'project_id',
  where: (call: PersonCall) => sql`user_id = ${call.caller.user_id}::uuid AND status = 'invited'`,
  filters: {},
  sort: { at: { column: 'at', type: 'timestamptz' } },
  view,
});

/**
 * Joins a project with the code that the inviter received.
 * @throws ApiError 404 without an invitation, 409 when the caller already belongs to it, 401 for a wrong, expired or
 * used code, 429 after too many of those
 */
export async function acceptInvitation(call: PersonCall, projectId: string, code: string): Promise<Invitation> {
  const found = await find(call, projectId);
  const given = acceptanceHash(projectId, code);
  return guardAttempt({ account: call.caller.email, address: call.address }, async () => {
    await commit(call, {
      ...answerTo(call, projectId, {
        allowed: sql`coalesce(m.acceptance_code_hash = ${given}::bytea AND m.acceptance_expires_at > platform_now(), false)`,
        otherwise: wrongCode(),
      }),
      rows: {
        accepted: sql`UPDATE memberships SET status = 'active', invited_name = NULL, invited_by = NULL,
                      acceptance_code_hash = NULL, acceptance_expires_at = NULL, updated_at = ${call.at}::timestamptz
                      FROM verdict WHERE verdict.ok AND ${membershipOf(call, projectId)}`,
      },
    });
    return view({ ...found, status: 'active', invited_by: null, updated_at: call.at });
  });
}

/** Declines and deletes an invitation. @throws ApiError 404 without one, 409 when it was accepted before */
export async function declineInvitation(call: PersonCall, projectId: string): Promise<void> {
  await find(call, projectId);
  await commit(call, {
    ...answerTo(call, projectId),
    rows: {
      declined: sql`DELETE FROM memberships USING verdict WHERE verdict.ok AND ${membershipOf(call, projectId)}`,
    },
  });
}

async function find(call: PersonCall, projectId: string): Promise<Row> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM ${invitations} WHERE user_id = ${call.caller.user_id}::uuid AND project_id = ${projectId}::uuid`,
  );
  if (!row) throw notFound('The invitation', '');
  return row;
}

/** The call in the inviting project, so that its admins find the answer in their audit log. */
function answerTo(
  call: PersonCall,
  projectId: string,
  condition?: { allowed: Sql; otherwise: ApiError },
): Pick<Write, 'resource' | 'project_id' | 'target' | 'forbidden'> {
  const belongs = 'You are already a member of this project.';
  return {
    resource: { type: 'user', id: call.caller.user_id, name: call.caller.email },
    project_id: projectId,
    target: sql`SELECT m.status = 'invited' AND ${condition?.allowed ?? raw('true')} AS allowed, m.status AS state
                FROM k JOIN memberships m ON m.project_id = k.project_id
                WHERE m.user_id = ${call.caller.user_id}::uuid FOR UPDATE OF m`,
    forbidden: (state) => (state === 'invited' && condition ? condition.otherwise : belongs),
  };
}

/** The same refusal for all faults, so that nobody learns which codes exist. */
function wrongCode(): ApiError {
  return new ApiError(
    'INVALID_CREDENTIALS',
    'code: is incorrect, expired or already used. Ask the person who invited you for a new invitation.',
  );
}

function membershipOf(call: PersonCall, projectId: string): Sql {
  return sql`memberships.project_id = ${projectId}::uuid AND memberships.user_id = ${call.caller.user_id}::uuid`;
}
