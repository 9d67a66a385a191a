import { randomBytes } from 'node:crypto';
import { now } from '@/lib/clock';
import type { Call } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import { auditInsert } from '@/lib/core/audit/entry';
import type { Prisma } from '@/lib/core/db/generated/client';
import { execute, queryOne } from '@/lib/core/db/pool';
import { insert, join, raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { settings } from '@/lib/settings';
import { resetMail } from './account-mail';
import { endLinks } from './account-rows';
import { forgetFailures, guardAttempt, reserveAttempt } from './attempts';
import { credentialHash } from './authenticate';
import { newPassword } from './new-password';
import { hashPassword } from './passwords';

const LINK_MS = 60 * 60 * 1000;

/**
 * Requests a mail with a password reset link. The worker looks up the account, so answer and timing are the same
 * whether or not it exists. Each request counts like a failed sign-in.
 * @throws ApiError 503 if this platform sends no mail, 429 after too many
 */
export async function requestPasswordReset(call: Call, email: string): Promise<void> {
  if (settings().smtpUrl === undefined) {
    throw new ApiError(
      'ENGINE_UNAVAILABLE',
      'This platform sends no mail (SMTP_URL is not set). Ask its administrators: they can release your e-mail address.',
      { headers: { 'Retry-After': '3600' } },
    );
  }
  await reserveAttempt({ account: `reset:${email}`, address: call.address });
  const audit = auditInsert(
    { ...call, caller: undefined },
    {
      action: 'auth.request_password_reset',
      actor: { actor_type: 'anonymous', actor_id: null, actor_name: email },
      project_id: null,
      result: 'succeeded',
      status: 202,
    },
  );
  const ctes = Object.entries(resetMail(call, email)).map(([name, piece]) => sql`${raw(name)} AS (${piece})`);
  await execute(sql`WITH ${join(ctes, ', ')} ${audit}`);
  call.record.audited = true;
}

/** The token of a new link, for the mail only: the database has just a hash. Valid for an hour. */
export async function newResetLink(userId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const at = now();
  const row: Prisma.AccountLinkUncheckedCreateInput = {
    token_hash: new Uint8Array(credentialHash(token)),
    user_id: userId,
    created_at: at,
    expires_at: new Date(at.getTime() + LINK_MS),
  };
  await execute(sql`
    WITH expired AS (DELETE FROM account_links WHERE user_id = ${userId}::uuid AND expires_at < platform_now())
    ${insert('account_links', row)}`);
  return token;
}

/**
 * Sets the password of the account that received the link, ends its sessions and API tokens, and marks its e-mail as
 * verified. A second factor stays in force: a mailbox alone does not replace it.
 * @throws ApiError 401 for a token that is wrong, expired or used, 429 after too many of those
 */
export function resetPassword(
  call: Call,
  { token, new_password }: { token: string; new_password: string },
): Promise<void> {
  const token_hash = credentialHash(token);
  return guardAttempt({ account: 'password-reset', address: call.address }, async () => {
    const account = await queryOne<{ id: string; email: string }>(sql`
      SELECT u.id, u.email FROM account_links l JOIN users u ON u.id = l.user_id
      WHERE l.token_hash = ${token_hash}::bytea AND l.expires_at > platform_now() AND NOT u.administrator`);
    if (!account) throw deadLink();
    const { id, email } = account;
    const password_hash = await hashPassword(new_password);
    await commit(call, {
      resource: { type: 'user', id, name: email },
      topic: 'session',
      project_id: null,
      target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN users u ON u.id = ${id}::uuid
                  JOIN account_links l ON l.user_id = u.id
                  WHERE l.token_hash = ${token_hash}::bytea AND l.expires_at > platform_now() AND NOT u.administrator
                  FOR UPDATE OF u, l`,
      rows: {
        ...newPassword(id, password_hash, ifAdmitted, { ending_tokens: true, verifying_email: true }),
        links_gone: endLinks(id, ifAdmitted),
        failures_forgotten: forgetFailures(email),
      },
    }).catch((error: unknown) => {
      // Another request has used the link meanwhile.
      throw error instanceof ApiError && error.code === 'RESOURCE_NOT_FOUND' ? deadLink() : error;
    });
  });
}

function deadLink(): ApiError {
  return new ApiError('INVALID_CREDENTIALS', 'token: is incorrect, expired or already used. Ask for a new link.');
}
