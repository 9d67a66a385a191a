import { z } from 'zod';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { seal } from '@/lib/core/crypto/seal';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { insert, type NewRow, raw, type Sql, sql } from '@/lib/core/db/sql';
import { operationInsert } from '@/lib/core/operations/enqueue';
import { platformOperationKind } from '@/lib/core/operations/kind';
import { settings } from '@/lib/settings';

/** Sends an account mail, with retries. */
export const sendAccountMail = platformOperationKind({
  kind: 'account.mail',
  resource_type: 'account_mail',
  stages: ['send'],
  input: z.object({}),
  deadline_ms: 24 * 60 * 60 * 1000,
});

type Origin = { at: Date; request_id: string | null };

/** Binds the sealed code to its mail. */
export const placeOf = (mailId: string) => `account_mail:${mailId}`;

/** For `npm run admin -- reseal`. */
export const sealedInvitationCodes: SealedColumn = {
  table: 'account_mails',
  column: 'code',
  key: 'id',
  bound: "'account_mail:' || id",
};

/**
 * The statements that mail an invitation, if this platform sends mail. `from` decides, as in `insert`; `withCode` is an
 * SQL boolean over it: a new account needs no code.
 */
export function invitationMail(
  call: Origin,
  invitation: { project_id: string; email: string; code: string },
  from: Sql,
  withCode: Sql,
): Record<string, Sql> {
  if (settings().smtpUrl === undefined) return {};
  const id = newId();
  const { project_id, email } = invitation;
  const sealed = seal(Buffer.from(invitation.code), placeOf(id));
  const code = sql`CASE WHEN ${withCode} THEN ${sealed}::bytea END`;
  return mailRows(call, { id, kind: 'invitation', project_id, email, code, created_at: call.at }, from);
}

/** Links mailed to an address per hour: anyone can enter anyone's address. */
const RESETS_PER_HOUR = 5;

/** The statements that mail a password reset link, whether or not the account exists. */
export function resetMail(call: Origin, email: string): Record<string, Sql> {
  const few = sql`(SELECT 1) AS always WHERE ${RESETS_PER_HOUR}::int > (SELECT count(*) FROM account_mails m
    WHERE m.email = ${email}::text AND m.kind = 'password_reset' AND m.created_at > ${call.at}::timestamptz - interval '1 hour')`;
  return mailRows(call, { id: newId(), kind: 'password_reset', email, created_at: call.at }, few);
}

function mailRows(
  call: Origin,
  row: NewRow<Prisma.AccountMailUncheckedCreateInput> & { id: string },
  from: Sql,
): Record<string, Sql> {
  return {
    mail: sql`${insert('account_mails', row, from)} RETURNING id`,
    mail_order: operationInsert(call, sendAccountMail.start(row.id, {}), null, raw('mail')),
  };
}
