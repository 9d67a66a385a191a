import { type Role, roles } from '@/lib/core/api/caller';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import { actor } from '@/lib/core/audit/entry';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { databaseError, queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Cap } from '@/lib/core/quota/caps';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { type Acceptance, newAcceptance, shownAcceptance } from '@/lib/people/identity/acceptance-code';
import { invitationMail } from '@/lib/people/identity/account-mail';
import { accountInsert } from '@/lib/people/identity/account-rows';
import { hashPassword } from '@/lib/people/identity/passwords';
import { settings } from '@/lib/settings';
import { assignmentInsert, invitationUpsert, membershipInsert } from './member-rows';
import { type CreateUser, type NewProjectUser, type ProjectUser, userQuery } from './schema';

/** Members as the project may see them; of an invited person only the content of the invitation. */
const people = raw(`(
  SELECT m.project_id, m.user_id AS id, u.email, m.status, m.created_at AS at, m.updated_at,
    CASE m.status WHEN 'active' THEN u.name ELSE coalesce(m.invited_name, u.email) END AS name,
    CASE m.status WHEN 'active' THEN u.totp_activated_at IS NOT NULL END AS two_factor_enabled,
    ARRAY(SELECT r.role FROM role_assignments r WHERE r.project_id = m.project_id AND r.user_id = m.user_id) AS roles
  FROM memberships m JOIN users u ON u.id = m.user_id) AS person`);

type Row = {
  id: string;
  email: string;
  name: string;
  status: ProjectUser['status'];
  roles: Role[];
  two_factor_enabled: boolean | null;
  at: Date;
  updated_at: Date;
};

export type Member = Pick<Row, 'id' | 'email' | 'roles'>;

/** Sorts roles for answers, highest first. */
export function highestFirst(assigned: readonly Role[]): Role[] {
  return roles.filter((role) => assigned.includes(role)).reverse();
}

/** The members of the project and its pending invitations. */
export const listUsers = listOf({
  query: userQuery,
  columns: raw('id, email, name, status, roles, two_factor_enabled, at, updated_at'),
  from: people,
  where: ofProject(),
  filters: {
    email: equals('email'),
    role: (role) => sql`${role}::text = ANY (roles)`,
    status: equals('status'),
    search: contains('name', 'email'),
  },
  // An account can be older than its membership, so ids do not give the order.
  sort: { created_at: { column: 'at', type: 'timestamptz' }, email: 'email', name: 'name' },
  view: ({ at, ...row }: Row, call): ProjectUser => ({
    ...row,
    roles: highestFirst(row.roles),
    two_factor_enabled: call.role === 'admin' ? row.two_factor_enabled : null,
    created_at: at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }),
});

/** An active or invited member of the project; undefined for anyone else and for a malformed id. */
export async function findMember(call: ProjectCall, userId: string): Promise<Member | undefined> {
  if (!isId(userId)) return undefined;
  return queryOne<Member>(
    sql`SELECT id, email, roles FROM ${people} WHERE project_id = ${call.project_id}::uuid AND id = ${userId}::uuid`,
  );
}

/**
 * Creates a person with a role in the project, who can sign in at once. A person who already has an account is invited
 * instead, and joins with the code in the answer; neither the answer nor its timing reveals which case it was. A
 * repeated invitation replaces code and role.
 * @throws ApiError 409 when the person already belongs to the project, or the project has too many
 */
export async function createUser(call: ProjectCall, input: CreateUser): Promise<NewProjectUser> {
  const password_hash = await hashPassword(input.password);
  const acceptance = newAcceptance(call.project_id, call.at);
  for (;;) {
    const known = await queryOne<{ id: string }>(sql`SELECT id FROM users WHERE email = ${input.email}::text`);
    try {
      return known
        ? await invite(call, input, known.id, acceptance)
        : await enrol(call, input, password_hash, acceptance);
    } catch (error) {
      // Another request has created the account meanwhile: now it is known.
      if (databaseError(error)?.constraint !== 'users_email_key') throw error;
    }
  }
}

/**
 * The same caps for new and known accounts, so that a refusal does not reveal which it was. `already` is 1 if the
 * project already counts the person, otherwise 0.
 */
const caps = (already: Sql = raw('0')): Cap[] => [
  {
    held: sql`users_held(k.project_id) - ${already}`,
    most: settings().usersPerProject,
    setting: 'USERS_PER_PROJECT',
    holder: 'The project has',
    things: 'members and invited users',
  },
  {
    held: sql`open_invitations_held(k.project_id) - ${already}`,
    most: settings().invitationsPerProject,
    setting: 'INVITATIONS_PER_PROJECT',
    holder: 'The project has',
    things: 'open invitations',
  },
];

async function enrol(
  call: ProjectCall,
  input: CreateUser,
  password_hash: string,
  acceptance: Acceptance,
): Promise<NewProjectUser> {
  const id = newId();
  const { email, name } = input;
  const account: Prisma.UserUncheckedCreateInput = {
    id,
    email,
    name,
    password_hash,
    initial_password: true,
    administrator: false,
    created_at: call.at,
    updated_at: call.at,
  };
  const created = view(call, input, id, acceptance);
  await commit(call, {
    resource: { type: 'user', id, name: email },
    caps: caps(),
    rows: {
      account: accountInsert(account, ifAdmitted),
      membership: membershipInsert(membership(call, id, { status: 'active' }), ifAdmitted),
      assignment: assignmentInsert(assignment(call, id, input.role), ifAdmitted),
      ...invitationMail(call, mailed(call, input, acceptance), ifAdmitted, raw('false')),
    },
    details: { role: input.role },
    answer: { status: 201, body: created },
  });
  return created;
}

async function invite(
  call: ProjectCall,
  input: CreateUser,
  id: string,
  acceptance: Acceptance,
): Promise<NewProjectUser> {
  const created = view(call, input, id, acceptance);
  const invitation = membership(call, id, {
    status: 'invited',
    invited_name: input.name,
    invited_by: actor(call.caller).actor_name,
    acceptance_code_hash: new Uint8Array(acceptance.hash),
    acceptance_expires_at: acceptance.expires_at,
  });
  await commit(call, {
    resource: { type: 'user', id, name: input.email },
    taken: {
      when: sql`EXISTS (SELECT FROM memberships WHERE project_id = ${call.project_id}::uuid AND user_id = ${id}::uuid
                AND status = 'active')`,
      message: `email: ${input.email} is already a member of this project.`,
    },
    rows: {
      // Has no effect if the invitation was accepted meanwhile.
      invited: sql`${invitationUpsert(invitation, ifAdmitted)} RETURNING memberships.project_id, memberships.user_id`,
      former_roles: sql`DELETE FROM role_assignments r USING invited WHERE r.project_id = invited.project_id
        AND r.user_id = invited.user_id AND r.role <> ${input.role}::text`,
      assignment: sql`${assignmentInsert(assignment(call, id, input.role), raw('invited'))} ON CONFLICT DO NOTHING`,
      ...invitationMail(call, mailed(call, input, acceptance), raw('invited'), raw('true')),
    },
    caps: caps(
      sql`(SELECT count(*) FROM memberships WHERE project_id = ${call.project_id}::uuid AND user_id = ${id}::uuid)`,
    ),
    details: { role: input.role },
    answer: { status: 201, body: created },
  });
  return created;
}

function mailed({ project_id }: ProjectCall, { email }: CreateUser, { code }: Acceptance) {
  return { project_id, email, code };
}

type Standing = Pick<
  Prisma.MembershipUncheckedCreateInput,
  'status' | 'invited_name' | 'invited_by' | 'acceptance_code_hash' | 'acceptance_expires_at'
>;

function membership(
  { project_id, at }: ProjectCall,
  user_id: string,
  standing: Standing,
): Prisma.MembershipUncheckedCreateInput {
  return { project_id, user_id, ...standing, created_at: at, updated_at: at };
}

function assignment(
  { project_id, at }: ProjectCall,
  user_id: string,
  role: Role,
): Prisma.RoleAssignmentUncheckedCreateInput {
  return { project_id, user_id, role, created_at: at };
}

function view(
  call: ProjectCall,
  { email, name, role }: CreateUser,
  id: string,
  acceptance: Acceptance,
): NewProjectUser {
  const at = call.at.toISOString();
  return { id, email, name, roles: [role], ...shownAcceptance(acceptance), created_at: at, updated_at: at };
}
