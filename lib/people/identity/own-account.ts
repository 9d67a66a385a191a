import type { Role } from '@/lib/core/api/caller';
import type { PersonCall, TenantCall } from '@/lib/core/api/endpoint';
import { ApiError, notFound } from '@/lib/core/api/errors';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { type Account, findById } from './account';
import { guardAttempt } from './attempts';
import type { ChangePassword, Me, OwnMembership, Profile } from './auth-schema';
import { newPassword } from './new-password';
import { hashPassword, verifyPassword } from './passwords';
import type { AccountCall } from './sessions';

/** A person's profile, as shown to themselves. */
export function profileOf(account: Account): Profile {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    two_factor_enabled: account.totp_activated_at !== null,
    created_at: account.created_at.toISOString(),
    updated_at: account.updated_at.toISOString(),
  };
}

/** The caller, their memberships, and the project that their requests act in. */
export async function whoAmI(call: TenantCall): Promise<Me> {
  const { caller } = call;
  if (caller.kind === 'workload') return workload(caller);
  const account = await findById(caller.user_id);
  if (!account) throw notFound('The user');
  const all = await membershipsOf(caller.user_id);
  const project = all.find(({ project_id }) => project_id === caller.membership?.project_id);
  const current = project && caller.membership ? { ...project, role: caller.membership.role } : null;
  return {
    type: caller.kind,
    ...profileOf(account),
    recovery_codes_left: await recoveryCodesLeft(caller.user_id),
    // A token belongs to one project and must not reveal others.
    memberships: caller.kind === 'user' ? all : current ? [current] : [],
    project: current,
  };
}

/** The caller's own profile, in either realm. */
export async function ownProfile({ caller }: AccountCall): Promise<Profile & { recovery_codes_left: number }> {
  const account = await findById(caller.user_id);
  if (!account) throw notFound('The user', '');
  return { ...profileOf(account), recovery_codes_left: await recoveryCodesLeft(caller.user_id) };
}

/** Changes the caller's own name. */
export async function updateProfile(call: PersonCall, { name }: { name: string }): Promise<Me> {
  await commit(call, {
    resource: { type: 'user', id: call.caller.user_id, name: call.caller.email },
    project_id: null,
    rows: {
      renamed: sql`UPDATE users SET name = ${name}::text, updated_at = ${call.at}::timestamptz
                   FROM ${ifAdmitted} AND users.id = ${call.caller.user_id}::uuid`,
    },
    details: { name: { old: call.caller.name, new: name } },
  });
  return whoAmI(call);
}

/**
 * Sets the caller's own password and ends all their other sessions, and on request their API tokens.
 * @throws ApiError 401 for a wrong current password, 429
 */
export function changePassword(
  call: AccountCall,
  { current_password, new_password, revoke_tokens }: ChangePassword,
): Promise<void> {
  const { user_id, email, session_id, initial_password } = call.caller;
  const initial = initial_password && new_password === current_password;
  return guardAttempt({ account: email, address: call.address }, async () => {
    const account = await findById(user_id);
    if (!(await verifyPassword(account?.password_hash, current_password)) || !account) {
      throw new ApiError('INVALID_CREDENTIALS', 'current_password: is incorrect.');
    }
    const fresh = await hashPassword(new_password);
    await commit(call, {
      resource: { type: 'user', id: user_id, name: email },
      topic: 'session',
      project_id: null,
      target: sql`SELECT u.password_hash = ${account.password_hash}::text AS allowed, NULL::text AS state
                  FROM k JOIN users u ON u.id = ${user_id}::uuid FOR UPDATE OF u`,
      forbidden: () => 'The password was changed in the meantime. Sign in again.',
      rows: {
        ...newPassword(user_id, fresh, ifAdmitted, { ending_tokens: revoke_tokens, initial }),
        kept_session: sql`UPDATE sessions SET epoch = changed.session_epoch FROM changed
                          WHERE sessions.id = ${session_id}::uuid`,
      },
      details: { revoke_tokens },
    });
  });
}

type MembershipRow = Pick<
  OwnMembership,
  'project_id' | 'project_name' | 'project_slug' | 'project_status' | 'status'
> & {
  role: Role | null;
  created_at: Date;
  updated_at: Date;
};

/** A person's memberships and invitations, oldest first. */
export async function membershipsOf(userId: string): Promise<OwnMembership[]> {
  const rows = await query<MembershipRow>(sql`
    SELECT m.project_id, p.name AS project_name, p.slug AS project_slug, p.status AS project_status, m.status,
      (SELECT r.role FROM role_assignments r WHERE r.project_id = m.project_id AND r.user_id = m.user_id
       ORDER BY array_position(ARRAY['admin', 'member', 'reader'], r.role) LIMIT 1) AS role, m.created_at, m.updated_at
    FROM memberships m JOIN projects p ON p.id = m.project_id
    WHERE m.user_id = ${userId}::uuid ORDER BY m.created_at, m.project_id`);
  return rows.map((row) => ({
    ...row,
    role: row.role ?? 'reader',
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
}

async function recoveryCodesLeft(userId: string): Promise<number> {
  const row = await queryOne<{ left: number }>(
    sql`SELECT count(*)::int AS left FROM recovery_codes WHERE user_id = ${userId}::uuid AND used_at IS NULL`,
  );
  return row?.left ?? 0;
}

async function workload(caller: Extract<TenantCall['caller'], { kind: 'workload' }>): Promise<Me> {
  const { project_id, role } = caller.membership;
  const row = await queryOne<{
    name: string;
    slug: string;
    status: OwnMembership['project_status'];
    created_at: Date;
    updated_at: Date;
  }>(sql`
    SELECT p.name, p.slug, p.status, i.created_at, i.updated_at
    FROM projects p JOIN identity_providers i ON i.id = ${caller.provider_id}::uuid AND i.project_id = p.id
    WHERE p.id = ${project_id}::uuid`);
  if (!row) throw notFound('The project');
  const times = { created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
  const project: OwnMembership = {
    project_id,
    project_name: row.name,
    project_slug: row.slug,
    project_status: row.status,
    role,
    status: 'active',
    ...times,
  };
  return {
    type: 'workload',
    id: caller.provider_id,
    email: null,
    name: caller.subject,
    two_factor_enabled: false,
    recovery_codes_left: 0,
    memberships: [project],
    project,
    ...times,
  };
}
