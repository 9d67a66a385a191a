import type { Call } from '@/lib/core/api/endpoint';
import { ApiError } from '@/lib/core/api/errors';
import type { AccessToken, Login, MfaChallenge, VerifyCode } from './auth-schema';
import { profileOf } from './own-account';
import { verifyOwnCode } from './second-factor';
import type { AccountCall } from './sessions';
import { answerChallenge, type Purpose, type SignInOutcome, signIn } from './sign-in';

type SignedIn = Extract<SignInOutcome, { step: 'signed_in' }>;
export type Challenged = Extract<SignInOutcome, { step: 'second_factor' }>;

const secondsUntil = (end: Date, at: Date) => Math.round((end.getTime() - at.getTime()) / 1000);

/** The first step of a sign-in through the API. Sign-in audits itself, including failures, which have no caller yet. */
export function begin(call: Call, body: Login, purpose: Purpose): Promise<SignInOutcome> {
  call.record.audited = true;
  return signIn({ ...call, caller: undefined }, body, purpose);
}

/** The second step: challenge and code. */
export function finish(
  call: Call,
  answer: { challenge_token: string; code: string },
  purpose: Purpose,
): Promise<SignedIn> {
  call.record.audited = true;
  return answerChallenge({ ...call, caller: undefined }, answer, purpose);
}

/** The lifetime and owner of a new session, for the answer. */
export function lasting(call: Call, { expires_at, account }: SignedIn) {
  return { expires_in: secondsUntil(expires_at, call.at), user: profileOf(account) };
}

/** The answer that asks for a second-factor code. */
export function challengeOf(call: Call, { challenge_token, expires_at }: Challenged): MfaChallenge {
  return { mfa_required: true, challenge_token, expires_in: secondsUntil(expires_at, call.at) };
}

/** Signs in and returns an access token, or a challenge as the next step. @throws ApiError 401, 403, 429 */
export async function login(call: Call, body: Login, purpose: Purpose): Promise<AccessToken | MfaChallenge> {
  const outcome = await begin(call, body, purpose);
  return outcome.step === 'signed_in' ? accessToken(call, outcome) : challengeOf(call, outcome);
}

/** With a challenge, the second step of a login; without one, checks a code of the signed-in caller. */
export async function verify(
  call: Call,
  { challenge_token, code }: VerifyCode,
  purpose: Purpose,
): Promise<AccessToken | { valid: boolean }> {
  if (challenge_token !== undefined) {
    return accessToken(call, await finish(call, { challenge_token, code }, purpose));
  }
  if (isOwnAccount(call)) return { valid: await verifyOwnCode(call, code) };
  if (call.caller)
    throw new ApiError('FORBIDDEN', 'Only signed-in users have two-factor authentication; tokens do not.');
  throw new ApiError('UNAUTHENTICATED', 'Send the challenge_token of a login, or sign in first.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function accessToken(call: Call, signedIn: SignedIn): AccessToken {
  return { access_token: signedIn.token, token_type: 'Bearer', ...lasting(call, signedIn) };
}

function isOwnAccount(call: Call): call is AccountCall {
  return call.caller?.kind === 'user' || call.caller?.kind === 'administrator';
}
