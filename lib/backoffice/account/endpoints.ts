import { z } from 'zod';
import { type AdministratorCall, type Call, endpoint, Reply } from '@/lib/api/endpoint';
import { listQuery } from '@/lib/api/pagination';
import { idParams } from '@/lib/api/schemas';
import * as auth from '@/lib/identity/auth-schema';
import { changePassword } from '@/lib/identity/own-account';
import { activateSecondFactor, setUpSecondFactor } from '@/lib/identity/second-factor';
import { listSessions, revokeAllSessions, revokeSession } from '@/lib/identity/sessions';
import type { SignInOutcome } from '@/lib/identity/sign-in';
import { begin, challengeOf, finish, lasting, login, verify } from '@/lib/identity/token-login';
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

/** A browser that signs out gives its cookie back as well. */
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
    summary: 'Sign in to the back office, as a script',
    description:
      'Gives an administrator session token for an hour (spec 5.6), worth nothing in the API of tenants. With a second ' +
      'factor and no `totp_code` it gives a challenge instead, for `POST /auth/2fa/verify`.',
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
    summary: 'Sign in to the back office, as a page',
    description:
      'Sets the session cookie, which no script can read and no other site can send. With a second factor and no ' +
      '`totp_code` it gives a challenge instead, for `POST /auth/session/verify`.',
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
    summary: 'Answer the challenge of a page’s sign-in',
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
    summary: 'Sign out of the back office, as a page',
    description: 'Ends the session of this request and takes its cookie back.',
    access: 'administrator_account',
    responses: { 204: null },
    audit: 'auth.logout',
    handle: signOut,
  }),
  endpoint({
    ...common,
    method: 'POST',
    path: '/auth/logout',
    operation_id: 'administratorLogout',
    summary: 'End the session of this request',
    access: 'administrator_account',
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
    summary: 'Change one’s own password',
    description: 'Ends all your other sessions. API tokens keep working unless `revoke_tokens` is true.',
    access: 'administrator_account',
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
    description: 'In force once `POST /auth/2fa/activate` has seen a code of it.',
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
    summary: 'Put the second factor in force with its first code',
    description: 'The code counts as used. The answer shows ten recovery codes, once.',
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
    summary: 'Check a code of the second factor',
    description:
      'With the `challenge_token` of a login: gives the access token. Without, by a signed-in administrator: says ' +
      'whether the code is theirs. Either way the code is used up.',
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
    summary: 'Take one’s own second factor away',
    description: 'Refused where the operator requires one of administrators.',
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
    summary: 'List one’s own sessions in the back office',
    access: 'administrator_account',
    query: z.strictObject(listQuery),
    responses: { 200: z.array(auth.session) },
    handle: (call, { query }) => listSessions(call, query),
  }),
  endpoint({
    ...common,
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    operation_id: 'revokeAdministratorSession',
    summary: 'End one of one’s own sessions',
    description: 'For the very next request that comes with it.',
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
    description: 'Ends all sessions of the person, in both realms, this one too.',
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
