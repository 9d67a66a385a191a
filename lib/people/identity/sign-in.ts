import { now } from '@/lib/clock';
import { ApiError } from '@/lib/core/api/errors';
import { recordAudit } from '@/lib/core/audit/entry';
import { isId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import { type Account, findByEmail, findById, type Realm } from './account';
import { guardAttempt } from './attempts';
import { hashPassword, isOutdated, verifyPassword } from './passwords';
import { spendCode } from './second-factor';
import { signToken, verifyToken } from './session-token';
import { type OpenedSession, openSession, type SessionKind, type SignInOrigin } from './sessions';

/** The target of a sign-in: the tenants' portal and API, or the back office. */
export type Purpose = { realm: Realm; kind: SessionKind };

/** Signed in, or the password was correct and a second-factor code must follow. */
export type SignInOutcome =
  | ({ step: 'signed_in'; account: Account } & OpenedSession)
  | { step: 'second_factor'; challenge_token: string; expires_at: Date };

const CHALLENGE_MS = 5 * 60 * 1000;

/**
 * Signs a person in. An unknown account and a wrong password give the same answer in the same time. Failures are
 * limited by account and address, and audited under the e-mail as entered.
 * @throws ApiError 401 INVALID_CREDENTIALS or TOTP_INVALID, 403 when this person may not sign in, 429
 */
export async function signIn(
  origin: SignInOrigin,
  credentials: { email: string; password: string; totp_code?: string | undefined },
  purpose: Purpose,
): Promise<SignInOutcome> {
  const { email, password, totp_code } = credentials;
  const account = await findByEmail(email, purpose.realm);
  return onRecord(origin, email, account, () =>
    guardAttempt({ account: email, address: origin.address }, async () => {
      const right = await verifyPassword(account?.password_hash, password);
      if (!account || !right) throw new ApiError('INVALID_CREDENTIALS', 'Incorrect e-mail address or password.');
      if (isOutdated(account.password_hash)) await hashAnew(account, password);
      refuseBarred(account, purpose.realm);
      if (account.totp_activated_at && totp_code === undefined) return challenge(origin, account, purpose);
      return begin(origin, account, purpose, totp_code);
    }),
  );
}

/**
 * The second step of a sign-in: the challenge of the first, and a code.
 * @throws ApiError 401 UNAUTHENTICATED when the challenge has ended, TOTP_INVALID for a wrong code, 403, 429
 */
export async function answerChallenge(
  origin: SignInOrigin,
  { challenge_token, code }: { challenge_token: string; code: string },
  purpose: Purpose,
): Promise<Extract<SignInOutcome, { step: 'signed_in' }>> {
  const claims = verifyToken('challenge', challenge_token, now());
  const account = claims && isId(claims.sub) ? await findById(claims.sub) : undefined;
  if (!account || !claims || !isFor(claims, account, purpose)) {
    throw new ApiError(
      'UNAUTHENTICATED',
      'This sign-in has expired. Start again with your e-mail address and password.',
      {
        headers: { 'WWW-Authenticate': 'Bearer' },
      },
    );
  }
  return onRecord(origin, account.email, account, () =>
    guardAttempt({ account: account.email, address: origin.address }, async () => {
      refuseBarred(account, purpose.realm);
      return begin(origin, account, purpose, code);
    }),
  );
}

async function begin(origin: SignInOrigin, account: Account, purpose: Purpose, code: string | undefined) {
  const second_factor = account.totp_activated_at && code !== undefined ? await spendCode(account, code) : null;
  const session = await openSession(origin, account, { ...purpose, second_factor });
  return { step: 'signed_in' as const, account, ...session };
}

/** A challenge, valid for five minutes and until any change of password or second factor. */
async function challenge(origin: SignInOrigin, account: Account, purpose: Purpose): Promise<SignInOutcome> {
  const expires_at = new Date(origin.at.getTime() + CHALLENGE_MS);
  const claims = { sub: account.id, ...purpose, epoch: account.session_epoch, factor: factorOf(account) };
  const challenge_token = await signToken('challenge', claims, origin.at, expires_at);
  await recordAudit(origin, {
    action: 'auth.challenge',
    actor: { actor_type: 'anonymous', actor_id: null, actor_name: account.email },
    project_id: null,
    result: 'succeeded',
    status: 200,
    resource: { type: 'user', id: account.id, name: account.email },
    details: { ...purpose },
  });
  return { step: 'second_factor', challenge_token, expires_at };
}

function isFor(claims: { [claim: string]: unknown }, account: Account, { realm, kind }: Purpose): boolean {
  const same = claims.realm === realm && claims.kind === kind;
  return same && claims.epoch === account.session_epoch && claims.factor === factorOf(account);
}

const factorOf = (account: Account) => account.totp_activated_at?.getTime() ?? null;

/** Only a person who knows the password sees this refusal. */
function refuseBarred(account: Account, realm: Realm): void {
  if (realm === 'backoffice') return;
  if (account.administrator && account.memberships === 0) {
    const place = settings().backofficeUrl;
    throw new ApiError('FORBIDDEN', `This is a back-office account without a project. Sign in at ${place}.`);
  }
  if (account.suspended_projects > 0 && account.open_projects === 0) {
    throw new ApiError('TENANT_SUSPENDED', 'The project is suspended. Contact your platform administrator.');
  }
}

/** Renews hashes with an outdated cost as their owners sign in. */
async function hashAnew(account: Account, password: string): Promise<void> {
  const fresh = await hashPassword(password);
  await execute(sql`UPDATE users SET password_hash = ${fresh}::text
                    WHERE id = ${account.id}::uuid AND password_hash = ${account.password_hash}::text`);
}

/** Audits every refused sign-in under the e-mail as entered, except rate-limited attempts. */
async function onRecord<T>(
  origin: SignInOrigin,
  email: string,
  account: Account | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'RATE_LIMITED') {
      await recordAudit(origin, {
        action: 'auth.login',
        actor: { actor_type: 'anonymous', actor_id: null, actor_name: email },
        project_id: null,
        result: 'refused',
        status: error.status,
        code: error.code,
        ...(account ? { resource: { type: 'user', id: account.id, name: account.email } } : {}),
      });
    }
    throw error;
  }
}
