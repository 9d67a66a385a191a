import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict, notFound } from '@/lib/core/api/errors';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { open, seal } from '@/lib/core/crypto/seal';
import { execute } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { type Account, findById } from './account';
import { forgetCodeFailures, guardAttempt, guardCode } from './attempts';
import { newRecoveryCodes, recoveryCodeRows, spendRecoveryCode } from './recovery-codes';
import type { AccountCall } from './sessions';
import { isTotpCode, matchingStep, newTotpKey, type TotpKey } from './totp';

/** Binds a sealed key to its person. */
const place = (userId: string) => `totp:${userId}`;

/** For `npm run admin -- reseal`. */
export const sealedSecondFactors: SealedColumn = {
  table: 'users',
  column: 'totp_secret',
  key: 'id',
  bound: "'totp:' || id",
};

/**
 * Creates a new key for the caller, in force after the first correct code. @throws ApiError 409 when one is in force
 */
export async function setUpSecondFactor(call: AccountCall): Promise<TotpKey> {
  const key = await newTotpKey(call.caller.email);
  const sealed = seal(Buffer.from(key.secret), place(call.caller.user_id));
  await change(call, {
    allowed: sql`u.totp_activated_at IS NULL`,
    otherwise: 'Two-factor authentication is already on; turn it off first.',
    rows: {
      prepared: sql`UPDATE users SET totp_secret = ${sealed}::bytea, updated_at = ${call.at}::timestamptz
                    FROM ${ifAdmitted} AND users.id = ${call.caller.user_id}::uuid`,
    },
  });
  return key;
}

/**
 * Activates the caller's key; the code proves that their app has it, and counts as used.
 * @returns recovery codes, to be shown once
 * @throws ApiError 401 for a wrong code, 409 when there is no key or it is already in force
 */
export function activateSecondFactor(call: AccountCall, code: string): Promise<string[]> {
  return guardAttempt({ account: call.caller.email, address: call.address }, async () => {
    const account = await ownAccount(call);
    if (!account.totp_secret) throw conflict('Two-factor authentication is not set up; call /auth/2fa/setup first.');
    if (account.totp_activated_at) throw conflict('Two-factor authentication is already on.');
    const step = matchingStep(open(account.totp_secret, place(account.id)).toString(), code, account.read_at);
    if (step === undefined) throw wrongCode();
    const codes = newRecoveryCodes();
    await change(call, {
      allowed: sql`u.totp_activated_at IS NULL AND u.totp_secret = ${account.totp_secret}::bytea`,
      otherwise: 'Two-factor authentication was changed in the meantime; start again with /auth/2fa/setup.',
      rows: {
        activated: sql`UPDATE users SET totp_activated_at = ${call.at}::timestamptz, totp_last_step = ${step}::bigint,
                       updated_at = ${call.at}::timestamptz FROM ${ifAdmitted} AND users.id = ${account.id}::uuid`,
        ...recoveryCodeRows(account.id, codes, ifAdmitted),
      },
    });
    return codes;
  });
}

/** Removes the caller's second factor. @throws ApiError 401 for a wrong code, 409 when none is in force */
export function disableSecondFactor(call: AccountCall, code: string): Promise<void> {
  return guardAttempt({ account: call.caller.email, address: call.address }, async () => {
    const account = await ownAccount(call);
    if (!account.totp_activated_at) throw conflict('Two-factor authentication is off.');
    const method = await spendCode(account, code);
    await change(call, {
      allowed: sql`u.totp_activated_at IS NOT NULL`,
      otherwise: 'Two-factor authentication is off.',
      rows: secondFactorOff(account.id, ifAdmitted),
      details: { method },
    });
  });
}

/** Whether the code is the caller's, which spends it. Always false without a second factor. */
export async function verifyOwnCode(call: AccountCall, code: string): Promise<boolean> {
  try {
    const method = await guardAttempt({ account: call.caller.email, address: call.address }, async () => {
      const account = await ownAccount(call);
      return account.totp_activated_at ? spendCode(account, code) : null;
    });
    call.record.details = { valid: method !== null, method };
    return method !== null;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'TOTP_INVALID')) throw error;
    call.record.details = { valid: false };
    return false;
  }
}

/**
 * Removes a person's second factor, in the back office, and ends their sessions.
 * @throws ApiError 404 for an unknown person, 409 when they have none
 */
export async function resetSecondFactorOf(call: AdministratorCall, userId: string): Promise<void> {
  const account = await findById(userId);
  if (!account) throw notFound('The user', '');
  await commit(call, {
    resource: { type: 'user', id: userId, name: account.email },
    project_id: null,
    target: sql`SELECT u.totp_secret IS NOT NULL AS allowed, NULL::text AS state
                FROM k JOIN users u ON u.id = ${userId}::uuid FOR UPDATE OF u`,
    forbidden: () => `Two-factor authentication is off for ${account.email}.`,
    rows: secondFactorOff(userId, ifAdmitted, { ending_sessions: true }),
  });
}

/**
 * Spends a code: a TOTP code, once per time step and never for a step before one already used, or a recovery code. A
 * single UPDATE decides, so of two requests with one code one succeeds. The caller must have checked the password, or a
 * session that began with it.
 * @throws ApiError 401, 429 after too many wrong codes for this account
 */
export function spendCode(account: Account, code: string): Promise<'totp' | 'recovery_code'> {
  return guardCode(account.id, () => matchCode(account, code));
}

async function matchCode(account: Account, code: string): Promise<'totp' | 'recovery_code'> {
  if (!isTotpCode(code)) {
    if (await spendRecoveryCode(account.id, code)) return 'recovery_code';
    throw wrongCode();
  }
  if (!account.totp_secret) throw wrongCode();
  const step = matchingStep(open(account.totp_secret, place(account.id)).toString(), code, account.read_at);
  if (step === undefined) throw wrongCode();
  const spent = await execute(sql`
    UPDATE users SET totp_last_step = ${step}::bigint
    WHERE id = ${account.id}::uuid AND totp_activated_at IS NOT NULL AND totp_secret = ${account.totp_secret}::bytea
      AND (totp_last_step IS NULL OR totp_last_step < ${step}::bigint)`);
  if (spent !== 1) throw wrongCode();
  return 'totp';
}

/** The statements that remove a second factor; `from` decides, as in `insert`, and ends in a condition. */
export function secondFactorOff(userId: string, from: Sql, { ending_sessions = false } = {}): Record<string, Sql> {
  const epoch = raw(ending_sessions ? ', session_epoch = users.session_epoch + 1' : '');
  return {
    switched_off: sql`UPDATE users SET totp_secret = NULL, totp_activated_at = NULL, totp_last_step = NULL,
                      updated_at = platform_now() ${epoch} FROM ${from} AND users.id = ${userId}::uuid`,
    failures_gone: forgetCodeFailures(userId, from),
    codes_gone: sql`DELETE FROM recovery_codes USING ${from} AND recovery_codes.user_id = ${userId}::uuid`,
  };
}

async function change(
  call: AccountCall,
  {
    allowed,
    otherwise,
    rows,
    details,
  }: { allowed: Sql; otherwise: string; rows: Record<string, Sql>; details?: object },
): Promise<void> {
  await commit(call, {
    resource: { type: 'user', id: call.caller.user_id, name: call.caller.email },
    project_id: null,
    target: sql`SELECT (${allowed}) AS allowed, NULL::text AS state
                FROM k JOIN users u ON u.id = ${call.caller.user_id}::uuid FOR UPDATE OF u`,
    forbidden: () => otherwise,
    rows,
    ...(details ? { details: { ...details } } : {}),
  });
}

async function ownAccount(call: AccountCall): Promise<Account> {
  const account = await findById(call.caller.user_id);
  if (!account) throw notFound('The user');
  return account;
}

function wrongCode(): ApiError {
  return new ApiError('TOTP_INVALID', 'The code is incorrect, expired or already used. Enter the next one.');
}
