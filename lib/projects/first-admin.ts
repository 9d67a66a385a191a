import type { AdministratorCall } from '@/lib/api/endpoint';
import type { Prisma } from '@/lib/db/generated/client';
import { newId } from '@/lib/db/id';
import { insert, raw, type Sql, sql } from '@/lib/db/sql';
import { ifAdmitted } from '@/lib/quota/commit';

/**
 * The rows that make a person the first admin of a new project. Whoever has an account already is found by the insert
 * itself, so that no account made meanwhile is missed: they are invited, and nothing of their account changes.
 */
export function firstAdminRows(
  call: AdministratorCall,
  projectId: string,
  person: { email: string; name: string; password_hash: string },
): Record<string, Sql> {
  const id = newId();
  const times = { created_at: call.at, updated_at: call.at };
  const isNew = sql`person.id = ${id}::uuid`;
  const user = insert<Prisma.UserUncheckedCreateInput>('users', { id, ...person, ...times }, ifAdmitted);
  return {
    person: sql`${user} ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id`,
    membership: insert<Prisma.MembershipUncheckedCreateInput>(
      'memberships',
      {
        project_id: projectId,
        user_id: raw('person.id'),
        status: sql`CASE WHEN ${isNew} THEN 'active' ELSE 'invited' END`,
        invited_name: sql`CASE WHEN ${isNew} THEN NULL ELSE ${person.name}::text END`,
        invited_by: sql`CASE WHEN ${isNew} THEN NULL ELSE ${call.caller.name}::text END`,
        ...times,
      },
      raw('person'),
    ),
    role: insert<Prisma.RoleAssignmentUncheckedCreateInput>(
      'role_assignments',
      { project_id: projectId, user_id: raw('person.id'), role: 'admin', created_at: call.at },
      raw('person'),
    ),
  };
}
