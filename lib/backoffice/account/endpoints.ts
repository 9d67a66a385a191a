import { z } from 'zod';
import { type AdministratorCall, type Call, endpoint, Reply } from '@/lib/core/api/endpoint';
import { pageQuery } from '@/lib/core/api/pagination';
import { idParams } from '@/lib/core/api/schemas';
import * as auth from '@/lib/people/identity/auth-schema';
import { changePassword } from '@/lib/people/identity/own-account';
import { activateSecondFactor, setUpSecondFactor } from '@/lib/people/identity/second-factor';
import { listSessions, revokeAllSessions, revokeSession } from '@/lib/people/identity/sessions';
import type { SignInOutcome } from '@/lib/people/identity/sign-in';
import { begin, challengeOf, finish, lasting, login, verify } from '@/lib/people/identity/token-login';
import * as schema from './schema';
import { disableOwnSecondFactor, readProfile, sessionCookie } from './service';

const tag = 'Back office: authentication';
const common = { realm: 'backoffice', tag } as const;
const scripts = { realm: 'backoffice', kind: 'access_token' } as const;
const pages = { realm: 'backoffice', kind: 'browser' } as const;

const signInErrors = ['INVALID_CREDENTIALS', 'TOTP_INVALID', 'FORBIDDEN'] as const;

function pageSession(call: Call, signedIn: Extract<SignInOutcome, { step: 'signed_in' }>): Reply<schema.PageSession> {
  const session = lasting(call, signedIn);
  return new Reply(session, { headers: { 'Set-Cookie': sessionCookie(signedIn.token, session.expires_in) } });
}

async function signOut(call: AdministratorCall): Promise<Reply<undefined>> {
  await revokeSession(call, call.caller.session_id);
  return signedOut(call);
}

/** A sign-out answer that also clears the browser's cookie. */
function signedOut({ caller }: AdministratorCall): Reply<undefined> {
  return new Reply(undefined, caller.via === 'cookie' ? { headers: { 'Set-Cookie': sessionCookie('', 0) } } : {});
}

/** Sign-in of administrators, their second factor and their sessions. */
export const accountEndpoints = [
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/login',
    operation_id: 'administratorLogin',
    summary: 'Sign in to the back office from a script',
    description:
      'Returns an administrator session token valid for one hour, which the tenant API does not accept. If two-factor ' +
      'authentication is on and `totp_code` is missing, returns a challenge for `POST /auth/2fa/verify`.',
    access: 'public',
    body: auth.login,
    responses: { 200: z.union([auth.accessToken, auth.mfaChallenge]) },
    errors: [...signInErrors],
    audit: 'auth.login',
    secret_answer: true,
    idempotency: 'none',
    handle: (call, { body }) => login(call, body, scripts),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/session',
    operation_id: 'beginAdministratorSession',
    summary: 'Sign in to the back office from a browser',
    description:
      'Sets the session cookie (HttpOnly, same-site). If two-factor authentication is on and `totp_code` is missing, ' +
      'returns a challenge for `POST /auth/session/verify`.',
    access: 'public',
    body: auth.login,
    responses: { 200: z.union([schema.pageSession, auth.mfaChallenge]) },
    errors: [...signInErrors],
    audit: 'auth.login',
    idempotency: 'none',
    handle: async (call, { body }) => {
      const outcome = await begin(call, body, pages);
      return outcome.step === 'signed_in' ? pageSession(call, outcome) : challengeOf(call, outcome);
    },
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/session/verify',
    operation_id: 'verifyAdministratorSession',
    summary: 'Complete a browser sign-in with an authentication code',
    description: 'Sets the session cookie.',
    access: 'public',
    body: schema.answerChallenge,
    responses: { 200: schema.pageSession },
    errors: ['UNAUTHENTICATED', 'TOTP_INVALID', 'FORBIDDEN'],
    audit: 'auth.login',
    idempotency: 'none',
    handle: async (call, { body }) => pageSession(call, await finish(call, body, pages)),
  }),
  endpoint({
    ...common,
    method: 'DELETE',
    path: '/auth/session',
    operation_id: 'endAdministratorSession',
    summary: 'Sign out of the back office in a browser',
    description: 'Ends the current session and clears its cookie.',
    access: 'administrator_account',
    with_initial_password: true,
    responses: { 204: null },
    audit: 'auth.logout',
    handle: signOut,
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/logout',
    operation_id: 'administratorLogout',
    summary: 'End the current session',
    access: 'administrator_account',
    with_initial_password: true,
    body: auth.emptyBody,
    responses: { 204: null },
    audit: 'auth.logout',
    idempotency: 'none',
    handle: signOut,
  }),
  endpoint({
    ...common,
    method: 'GET',
    path: '/auth/me',
    operation_id: 'readAdministrator',
    summary: 'Profile of the caller',
    access: 'administrator_account',
    responses: { 200: schema.administratorProfile },
    handle: readProfile,
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/password',
    operation_id: 'changeAdministratorPassword',
    summary: 'Change your own password',
    description: 'Ends all your other sessions. API tokens keep working unless `revoke_tokens` is true.',
    access: 'administrator_account',
    with_initial_password: true,
    body: auth.changePassword,
    responses: { 204: null },
    errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
    audit: 'auth.change_password',
    idempotency: 'none',
    handle: (call, { body }) => changePassword(call, body),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/2fa/setup',
    operation_id: 'setUpAdministratorSecondFactor',
    summary: 'Generate a TOTP secret',
    description: 'Takes effect when `POST /auth/2fa/activate` accepts a code generated from it.',
    access: 'administrator_account',
    body: auth.emptyBody,
    responses: { 200: auth.totpKey },
    errors: ['CONFLICT'],
    audit: 'second_factor.setup',
    secret_answer: true,
    idempotency: 'none',
    handle: (call) => setUpSecondFactor(call),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/2fa/activate',
    operation_id: 'activateAdministratorSecondFactor',
    summary: 'Turn on two-factor authentication with a first code',
    description: 'The code counts as used. The response contains ten recovery codes, shown only once.',
    access: 'administrator_account',
    body: auth.activateTotp,
    responses: { 200: auth.totpActivated },
    errors: ['TOTP_INVALID', 'CONFLICT'],
    audit: 'second_factor.activate',
    secret_answer: true,
    idempotency: 'none',
    handle: async (call, { body }) => ({
      enabled: true as const,
      recovery_codes: await activateSecondFactor(call, body.code),
    }),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/2fa/verify',
    operation_id: 'verifyAdministratorSecondFactor',
    summary: 'Check an authentication code',
    description:
      'With the `challenge_token` of a login, returns the access token. Without it, tells a signed-in administrator ' +
      'whether the code is valid. Either way, the code is used up.',
    access: 'public',
    body: auth.verifyCode,
    responses: { 200: z.union([auth.accessToken, auth.codeVerdict]) },
    errors: ['UNAUTHENTICATED', 'TOTP_INVALID', 'FORBIDDEN'],
    audit: 'second_factor.verify',
    secret_answer: true,
    idempotency: 'none',
    handle: (call, { body }) => verify(call, body, scripts),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/2fa/disable',
    operation_id: 'disableAdministratorSecondFactor',
    summary: 'Turn off your own two-factor authentication',
    description: 'Refused if the operator requires two-factor authentication for administrators.',
    access: 'administrator_account',
    body: auth.disableTotp,
    responses: { 200: auth.totpDisabled },
    errors: ['TOTP_INVALID', 'CONFLICT'],
    audit: 'second_factor.disable',
    idempotency: 'none',
    handle: async (call, { body }) => {
      await disableOwnSecondFactor(call, body.code);
      return { enabled: false as const };
    },
  }),
  endpoint({
    ...common,
    method: 'GET',
    path: '/auth/sessions',
    operation_id: 'listAdministratorSessions',
    summary: 'List your own back-office sessions',
    access: 'administrator_account',
    query: pageQuery,
    responses: { 200: z.array(auth.session) },
    handle: (call, { query }) => listSessions(call, query),
  }),
  endpoint({
    ...common,
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    operation_id: 'revokeAdministratorSession',
    summary: 'End one of your own sessions',
    description: 'Takes effect on the next request that uses it.',
    access: 'administrator_account',
    params: idParams,
    responses: { 204: null },
    audit: 'session.revoke',
    handle: (call, { params }) => revokeSession(call, params.id),
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/sessions/revoke-all',
    operation_id: 'revokeAllAdministratorSessions',
    summary: 'Sign out everywhere',
    description: 'Ends all your sessions in the portal and the back office, including this one.',
    access: 'administrator_account',
    body: auth.emptyBody,
    responses: { 204: null },
    audit: 'session.revoke_all',
    idempotency: 'none',
    handle: async (call) => {
      await revokeAllSessions(call);
      return signedOut(call);
    },
  }),
];
