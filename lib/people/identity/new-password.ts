import { hintInsert } from '@/lib/core/db/hint';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { forgetCodeFailures } from './attempts';

type NewPasswordOptions = {
  ending_tokens: boolean;
  verifying_email?: boolean;
  /** Someone else chose it. */
  initial?: boolean;
};

/**
 * The statements that set a person's password and end all their sessions and pending challenges; with `ending_tokens`
 * also their API tokens in every project. `verifying_email`: a mailed link has proved that the mailbox is theirs.
 * `changed` returns the new epoch. `from` decides, as in `insert`, and ends in a condition.
 */
export function newPassword(
  userId: string,
  password_hash: string,
  from: Sql,
  { ending_tokens, verifying_email = false, initial = false }: NewPasswordOptions,
): Record<string, Sql> {
  // A token that an ending session creates at this moment has the previous epoch.
  const tokens = raw(ending_tokens ? ', tokens_from_epoch = users.session_epoch + 1' : '');
  const verified = raw(
    verifying_email ? ', email_verified_at = coalesce(users.email_verified_at, platform_now())' : '',
  );
  return {
    changed: sql`UPDATE users SET password_hash = ${password_hash}::text, initial_password = ${initial}::boolean, session_epoch = users.session_epoch + 1 ${tokens} ${verified},
                 updated_at = platform_now() FROM ${from} AND users.id = ${userId}::uuid RETURNING users.session_epoch`,
    codes_forgotten: forgetCodeFailures(userId, from),
    ...(ending_tokens ? endedTokens(userId, from) : {}),
  };
}

/** Revokes the token rows too, so that lists omit them, and sends hints to pages that show them. */
function endedTokens(userId: string, from: Sql): Record<string, Sql> {
  return {
    tokens_ended: sql`UPDATE api_tokens t SET revoked_at = platform_now(), updated_at = platform_now()
                      FROM ${from} AND t.user_id = ${userId}::uuid AND t.revoked_at IS NULL RETURNING t.project_id`,
    tokens_hinted: hintInsert(
      { project_id: raw('project_id'), topic: 'api_token' },
      raw('(SELECT DISTINCT project_id FROM tokens_ended) AS concerned'),
    ),
  };
}
