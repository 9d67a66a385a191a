import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/commit';
import type { Acceptance } from '@/lib/people/identity/acceptance-code';
import { invitationMail } from '@/lib/people/identity/account-mail';
import { accountInsert } from '@/lib/people/identity/account-rows';
import { assignmentInsert, invitationUpsert } from '@/lib/people/members/member-rows';

/**
 * The rows that make a person an admin of a project. The insert itself looks up an existing account, so that one
 * created concurrently is not missed: that person is invited, and their account stays unchanged. A person already
 * invited gets a new code; a member gets the role in addition.
 * @param person `id` is used if a new account is created
 */
export function adminRows(
  call: AdministratorCall,
  projectId: string,
  { id, ...person }: { id: string; email: string; name: string; password_hash: string },
  acceptance: Acceptance,
): Record<string, Sql> {
  const times = { created_at: call.at, updated_at: call.at };
  const isNew = sql`person.id = ${id}::uuid`;
  const user = accountInsert({ id, ...person, initial_password: true, ...times }, ifAdmitted);
  return {
    person: sql`${user} ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id`,
    membership: sql`${invitationUpsert(
      {
        project_id: projectId,
        user_id: raw('person.id'),
        status: sql`CASE WHEN ${isNew} THEN 'active' ELSE 'invited' END`,
        invited_name: sql`CASE WHEN ${isNew} THEN NULL ELSE ${person.name}::text END`,
        invited_by: sql`CASE WHEN ${isNew} THEN NULL ELSE ${call.caller.name}::text END`,
        acceptance_code_hash: sql`CASE WHEN ${isNew} THEN NULL ELSE ${acceptance.hash}::bytea END`,
        acceptance_expires_at: sql`CASE WHEN ${isNew} THEN NULL ELSE ${acceptance.expires_at}::timestamptz END`,
        ...times,
      },
      raw('person'),
    )} RETURNING memberships.status`,
    role: sql`${assignmentInsert(
      { project_id: projectId, user_id: raw('person.id'), role: 'admin', created_at: call.at },
      raw('person'),
    )} ON CONFLICT DO NOTHING`,
    ...invitationMail(
      call,
      { project_id: projectId, email: person.email, code: acceptance.code },
      raw('membership'),
      raw("membership.status = 'invited'"),
    ),
  };
}
