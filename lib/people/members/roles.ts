import { roles as allRoles, includesRole } from '@/lib/core/api/caller';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { noSuch, notFound } from '@/lib/core/api/errors';
import type { Prisma } from '@/lib/core/db/generated/client';
import { type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { assignmentInsert } from './member-rows';
import type { AssignRole, RevokeRoles, RoleAssignment, RoleDescription } from './schema';
import { findMember, highestFirst } from './users';

const descriptions = {
  reader: 'Sees everything in the project except secrets, credentials, users and payment methods.',
  member: 'Can also create, change and delete resources, and see secrets and credentials.',
  admin: 'Can also manage users, roles, identity providers, the budget and payments, and read the audit log.',
} as const;

/** All roles, highest first. */
export function listRoles(): RoleDescription[] {
  return highestFirst(allRoles).map((name) => ({
    name,
    description: descriptions[name],
    includes: highestFirst(allRoles.filter((other) => other !== name && includesRole(name, other))),
  }));
}

/**
 * Assigns a role to a user of the project.
 * @throws ApiError 404 when the user is not in this project, 409 when the user already has the role
 */
export async function assignRole(call: ProjectCall, { user_id, role }: AssignRole): Promise<RoleAssignment> {
  const { project_id } = call;
  const member = await findMember(call, user_id);
  if (!member) throw noSuch('user_id', 'user');
  const { id, email, roles } = member;
  const at = call.at.toISOString();
  const assigned = { user_id: id, role, roles: highestFirst([...roles, role]), created_at: at, updated_at: at };
  const row: Prisma.RoleAssignmentUncheckedCreateInput = { project_id, user_id: id, role, created_at: call.at };
  await commit(call, {
    resource: { type: 'user', id, name: email },
    target: presentMembership(id, sql`${role}::text <> ALL (present.roles)`),
    forbidden: () => `role: the user already has the role ${role}.`,
    rows: {
      assigned: assignmentInsert(row, ifAdmitted),
      touched: sql`UPDATE memberships SET updated_at = ${call.at}::timestamptz FROM verdict
                   WHERE verdict.ok AND memberships.project_id = ${project_id}::uuid AND user_id = ${id}::uuid`,
    },
    details: { role },
    answer: { status: 201, body: assigned },
  });
  return assigned;
}

/**
 * Revokes one role of a user, or all. Without a role the membership ends, with the user's API tokens here.
 * @throws ApiError 404 when the user is not in this project or lacks the role, 409 for the last admin
 */
export async function revokeRoles(call: ProjectCall, { user_id, role }: RevokeRoles): Promise<void> {
  const member = await findMember(call, user_id);
  if (!member) throw noSuch('user_id', 'user');
  const { id, email, roles } = member;
  if (role && !roles.includes(role)) throw notFound(`role: the role ${role} of this user`);
  const revoked = role ?? null;
  await commit(call, {
    resource: { type: 'user', id, name: email },
    target: presentMembership(
      id,
      sql`NOT (present.status = 'active' AND 'admin' = ANY (present.roles) AND present.other_admins = 0
               AND coalesce(${revoked}::text, 'admin') = 'admin')`,
    ),
    forbidden: () => 'This is the last admin of the project. Give another user the admin role first.',
    rows: {
      revoked: sql`SELECT outcome.* FROM verdict CROSS JOIN LATERAL
                   revoke_roles(${call.project_id}::uuid, ${id}::uuid, ${revoked}::text, ${call.at}::timestamptz) AS outcome
                   WHERE verdict.ok`,
    },
    // The entry refers to the outcome and thereby runs it: PostgreSQL skips a SELECT that nothing refers to.
    details: sql`(SELECT jsonb_build_object('role', ${revoked}::text, 'left_project', revoked.ended,
                  'tokens_ended', revoked.tokens) FROM revoked)`,
  });
}

/**
 * A user's membership in the call's project, read after the project's row is locked: role changes run one after the
 * other, and each sees the result of the one before.
 */
function presentMembership(userId: string, allowed: Sql): Sql {
  return sql`
    SELECT ${allowed} AS allowed, present.status AS state
    FROM (SELECT p.id FROM k JOIN projects p ON p.id = k.project_id FOR NO KEY UPDATE OF p) AS locked
    CROSS JOIN LATERAL present_membership(locked.id, ${userId}::uuid) AS present`;
}
