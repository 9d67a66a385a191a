import type { Prisma } from '@/lib/core/db/generated/client';
import { insert, type NewRow, raw, type Sql, sql } from '@/lib/core/db/sql';

/** Pieces of statements that write accounts for other folders. `from` decides, as in `insert`, and ends in a condition. */

/** Inserts an account. */
export function accountInsert(row: NewRow<Prisma.UserUncheckedCreateInput>, from: Sql): Sql {
  return insert('users', row, from);
}

/** Makes a person an administrator, or one no longer. */
export function administrationChange(userId: string, administrator: boolean, at: Date, from: Sql): Sql {
  return sql`UPDATE users SET administrator = ${raw(String(administrator))}, updated_at = ${at}::timestamptz
    FROM ${from} AND users.id = ${userId}::uuid`;
}

/** Gives an account another, unverified e-mail address. */
export function addressChange(userId: string, email: string, at: Date, from: Sql): Sql {
  return sql`UPDATE users SET email = ${email}::text, email_verified_at = NULL, updated_at = ${at}::timestamptz
    FROM ${from} AND users.id = ${userId}::uuid`;
}

/** Ends the mailed links of an account. */
export function endLinks(userId: string, from: Sql): Sql {
  return sql`DELETE FROM account_links l USING ${from} AND l.user_id = ${userId}::uuid`;
}

/** Ends a person's sessions of the back office. */
export function endBackofficeSessions(userId: string, at: Date, from: Sql): Sql {
  return sql`UPDATE sessions SET revoked_at = ${at}::timestamptz FROM ${from}
    AND sessions.user_id = ${userId}::uuid AND sessions.realm = 'backoffice' AND sessions.revoked_at IS NULL`;
}

/** Inserts an API token. */
export function tokenInsert(row: NewRow<Prisma.ApiTokenUncheckedCreateInput>, from: Sql): Sql {
  return insert('api_tokens', row, from);
}

/** Revokes an API token. */
export function tokenRevocation(id: string, at: Date, from: Sql): Sql {
  return sql`UPDATE api_tokens SET revoked_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
    FROM ${from} AND api_tokens.id = ${id}::uuid`;
}
