import { z } from 'zod';
import { endpoint, type PersonCall, Reply } from '@/lib/core/api/endpoint';
import { pageQuery } from '@/lib/core/api/pagination';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './auth-schema';
import { sessionCookies } from './cookies';
import { changePassword, updateProfile, whoAmI } from './own-account';
import { requestPasswordReset, resetPassword } from './password-reset';
import { activateSecondFactor, disableSecondFactor, setUpSecondFactor } from './second-factor';
import { listSessions, revokeAllSessions, revokeSession } from './sessions';
import { login, verify } from './token-login';

const tag = 'Authentication';
const purpose = { realm: 'tenant', kind: 'access_token' } as const;

/** A sign-out answer that also clears the browser's cookie. */
function signedOut(call: PersonCall): Reply<undefined> {
  if (call.caller.via !== 'cookie') return new Reply(undefined);
  const { tenant, secure } = sessionCookies();
  return new Reply(undefined, {
    headers: { 'Set-Cookie': `${tenant}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}` },
  });
}

/** Authentication and second factor (spec 4.1), own account and sessions. */
export const authEndpoints = [
  endpoint({
    method: 'POST',
    path: '/auth/login',
    operation_id: 'login',
    summary: 'Sign in',
    description:
      'Returns an access token valid for one hour. If two-factor authentication is on and `totp_code` is missing, returns a ' +
      'challenge for `POST /auth/2fa/verify`. Limited to ten failed attempts per account and address in 15 minutes, and ' +
      'to 20 incorrect codes per account in 24 hours.',
    tag,
    access: 'public',
    body: schema.login,
    responses: { 200: z.union([schema.accessToken, schema.mfaChallenge]) },
    errors: ['INVALID_CREDENTIALS', 'TOTP_INVALID', 'FORBIDDEN', 'TENANT_SUSPENDED'],
    audit: 'auth.login',
    secret_answer: true,
    idempotency: 'none',
    handle: (call, { body }) => login(call, body, purpose),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/logout',
    operation_id: 'logout',
    summary: 'End the current session',
    tag,
    access: 'person',
    with_initial_password: true,
    body: schema.emptyBody,
    responses: { 204: null },
    audit: 'auth.logout',
    idempotency: 'none',
    handle: async (call) => {
      await revokeSession(call, call.caller.session_id);
      return signedOut(call);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/auth/me',
    operation_id: 'whoAmI',
    summary: 'Read the caller’s profile and project memberships',
    tag,
    access: 'any',
    responses: { 200: schema.me },
    handle: (call) => whoAmI(call),
  }),
  endpoint({
    method: 'PATCH',
    path: '/auth/me',
    operation_id: 'updateProfile',
    summary: 'Change your own name',
    tag,
    access: 'person',
    body: schema.updateProfile,
    responses: { 200: schema.me },
    audit: 'user.update_profile',
    handle: (call, { body }) => updateProfile(call, body),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/password',
    operation_id: 'changePassword',
    summary: 'Change your own password',
    description: 'Ends all your other sessions. API tokens keep working unless `revoke_tokens` is true.',
    tag,
    access: 'person',
    with_initial_password: true,
    body: schema.changePassword,
    responses: { 204: null },
    errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
    audit: 'auth.change_password',
    idempotency: 'none',
    handle: (call, { body }) => changePassword(call, body),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/password-reset',
    operation_id: 'requestPasswordReset',
    summary: 'Request a link for a new password',
    description:
      'Mails the link to the address, where it has an account; the answer is the same where it has none. Whoever reads ' +
      'the mailbox gets the account back, even if somebody else created it. Passwords of administrators are reset on the host.',
    tag,
    access: 'public',
    body: schema.requestPasswordReset,
    responses: { 202: null },
    errors: ['ENGINE_UNAVAILABLE'],
    audit: 'auth.request_password_reset',
    idempotency: 'none',
    handle: (call, { body }) => requestPasswordReset(call, body.email),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/password-reset/confirm',
    operation_id: 'resetPassword',
    summary: 'Set a new password with a mailed link',
    description:
      'Ends all sessions and API tokens of the account, and verifies its e-mail address. A second factor stays in force.',
    tag,
    access: 'public',
    body: schema.resetPassword,
    responses: { 204: null },
    errors: ['INVALID_CREDENTIALS'],
    audit: 'auth.reset_password',
    idempotency: 'none',
    handle: (call, { body }) => resetPassword(call, body),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/2fa/setup',
    operation_id: 'setUpSecondFactor',
    summary: 'Generate a TOTP secret',
    description: 'Takes effect when `POST /auth/2fa/activate` accepts a code generated from it.',
    tag,
    access: 'person',
    body: schema.emptyBody,
    responses: { 200: schema.totpKey },
    errors: ['CONFLICT'],
    audit: 'second_factor.setup',
    secret_answer: true,
    idempotency: 'none',
    handle: (call) => setUpSecondFactor(call),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/2fa/activate',
    operation_id: 'activateSecondFactor',
    summary: 'Turn on two-factor authentication with a first code',
    description: 'The code counts as used. The response contains ten recovery codes, shown only once.',
    tag,
    access: 'person',
    body: schema.activateTotp,
    responses: { 200: schema.totpActivated },
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
    method: 'POST',
    path: '/auth/2fa/verify',
    operation_id: 'verifySecondFactor',
    summary: 'Check an authentication code',
    description:
      'With the `challenge_token` of a login, returns the access token. Without it, tells a signed-in user whether the ' +
      'code is valid. Either way, the code is used up.',
    tag,
    access: 'public',
    body: schema.verifyCode,
    responses: { 200: z.union([schema.accessToken, schema.codeVerdict]) },
    errors: ['UNAUTHENTICATED', 'TOTP_INVALID', 'FORBIDDEN', 'TENANT_SUSPENDED', 'RESOURCE_NOT_FOUND'],
    audit: 'second_factor.verify',
    secret_answer: true,
    idempotency: 'none',
    handle: (call, { body }) => verify(call, body, purpose),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/2fa/disable',
    operation_id: 'disableSecondFactor',
    summary: 'Turn off two-factor authentication',
    tag,
    access: 'person',
    body: schema.disableTotp,
    responses: { 200: schema.totpDisabled },
    errors: ['TOTP_INVALID', 'CONFLICT'],
    audit: 'second_factor.disable',
    idempotency: 'none',
    handle: async (call, { body }) => {
      await disableSecondFactor(call, body.code);
      return { enabled: false as const };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/auth/sessions',
    operation_id: 'listSessions',
    summary: 'List your own sessions',
    tag,
    access: 'person',
    query: pageQuery,
    responses: { 200: z.array(schema.session) },
    handle: (call, { query }) => listSessions(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/auth/sessions/revoke-all',
    operation_id: 'revokeAllSessions',
    summary: 'Sign out everywhere',
    description: 'Ends all your sessions, including this one. API tokens stay valid.',
    tag,
    access: 'person',
    body: schema.emptyBody,
    responses: { 204: null },
    audit: 'session.revoke_all',
    idempotency: 'none',
    handle: async (call) => {
      await revokeAllSessions(call);
      return signedOut(call);
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    operation_id: 'revokeSession',
    summary: 'End one of your own sessions',
    description: 'Takes effect on the next request that uses it.',
    tag,
    access: 'person',
    params: idParams,
    responses: { 204: null },
    audit: 'session.revoke',
    handle: (call, { params }) => revokeSession(call, params.id),
  }),
];
