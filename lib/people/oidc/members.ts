import type { ProjectStatus, Role } from '@/lib/core/api/caller';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { roleOf, roleRank } from '@/lib/people/identity/authenticate';

/** A member of a client's project, as the client learns of them. */
export type SsoMember = {
  user_id: string;
  name: string;
  email: string;
  email_verified: boolean;
  updated_at: Date;
  project_id: string;
  project_name: string;
  role: Role;
};

/** The claims of each scope. */
export const claimsOfScope = {
  openid: ['sub', 'amr', 'project', 'role'],
  profile: ['name', 'updated_at'],
  email: ['email', 'email_verified'],
};

/** The tables of a membership through which its person may sign in to clients. */
export const openMembership: Sql = sql`memberships m JOIN projects p ON p.id = m.project_id JOIN users u ON u.id = m.user_id`;

/** The condition on `openMembership`. */
export const isOpen: Sql = sql`m.status = 'active' AND p.status = ${'active' satisfies ProjectStatus}::text`;

/** Undefined for people who are not an active member of the client's project, and while the project is suspended. */
export async function findMember(clientId: string, userId: string): Promise<SsoMember | undefined> {
  const row = await queryOne<Omit<SsoMember, 'role'> & { role_rank: number | null }>(sql`
    SELECT m.user_id, m.project_id, p.name AS project_name, u.name, u.email, u.email_verified_at IS NOT NULL AS email_verified, u.updated_at,
      ${roleRank} AS role_rank
    FROM oidc_clients c, ${openMembership}
    WHERE c.id = ${clientId}::uuid AND m.project_id = c.project_id AND m.user_id = ${userId}::uuid AND ${isOpen}`);
  if (!row) return undefined;
  const { role_rank, ...member } = row;
  return { ...member, role: roleOf(role_rank) };
}
