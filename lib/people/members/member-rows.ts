import type { Prisma } from '@/lib/core/db/generated/client';
import { insert, type NewRow, type Sql, sql } from '@/lib/core/db/sql';

/** Pieces of statements that write memberships for other folders. `from` decides, as in `insert`. */

/** Inserts a membership. */
export function membershipInsert(row: NewRow<Prisma.MembershipUncheckedCreateInput>, from: Sql): Sql {
  return insert('memberships', row, from);
}

/**
 * Inserts an invitation, or replaces an open one with its new inviter and code. An invitation that was accepted meanwhile
 * stays as it is. @param row an active membership is inserted as it is
 */
export function invitationUpsert(row: NewRow<Prisma.MembershipUncheckedCreateInput>, from: Sql): Sql {
  return sql`${membershipInsert(row, from)} ON CONFLICT (project_id, user_id) DO UPDATE
    SET invited_name = excluded.invited_name, invited_by = excluded.invited_by, updated_at = excluded.updated_at,
      acceptance_code_hash = excluded.acceptance_code_hash, acceptance_expires_at = excluded.acceptance_expires_at
    WHERE memberships.status = 'invited'`;
}

/** Deletes a person's open invitations. `from` ends in a condition. */
export function endInvitations(userId: string, from: Sql): Sql {
  return sql`DELETE FROM memberships m USING ${from} AND m.user_id = ${userId}::uuid AND m.status = 'invited'`;
}

/** Inserts the assignment of a role. */
export function assignmentInsert(row: NewRow<Prisma.RoleAssignmentUncheckedCreateInput>, from: Sql): Sql {
  return insert('role_assignments', row, from);
}
