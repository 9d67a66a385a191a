import createFetchClient from 'openapi-fetch';
import type { SignInStep } from '@/lib/people/identity/portal-sign-in';
import { createApi, send } from './api';
import type { components, paths } from './schema';

/** Without the redirect to sign-in on an ended session, because this is the sign-in. */
const client = createFetchClient<paths>({ credentials: 'same-origin' });

/** Back-office sign-in in this browser. An HttpOnly cookie holds the session. */
export function createAdminSignIn() {
  let challenge_token = '';
  return {
    /** The first step. */
    withPassword: (email: string, password: string): Promise<SignInStep> =>
      step(async () => {
        const { data, error, response } = await client.POST('/admin/api/v1/auth/session', {
          body: { email, password },
        });
        if (!data) return refusal(error, response);
        if (!('mfa_required' in data)) return { done: true };
        challenge_token = data.challenge_token;
        return { done: false, code: 'MFA_REQUIRED' };
      }),
    /** The second step: a TOTP code or recovery code. `UNAUTHENTICATED` means start over. */
    withCode: (code: string): Promise<SignInStep> =>
      step(async () => {
        const body = { challenge_token, code };
        const { data, error, response } = await client.POST('/admin/api/v1/auth/session/verify', { body });
        return data ? { done: true } : refusal(error, response);
      }),
  };
}

/** Ends this browser's session in the back office. */
export async function leaveBackOffice(): Promise<void> {
  await send(new Request('/admin/api/v1/auth/session', { method: 'DELETE' }));
}

/** Starts enrolment of a second factor: returns a key for an authenticator app, not yet in force. */
export async function setUpSecondFactor() {
  const { data } = await createApi({}).POST('/admin/api/v1/auth/2fa/setup', { body: {} });
  if (!data) throw new Error('the response holds no TOTP key');
  return data;
}

/** Activates the second factor with its first code, and returns the recovery codes. */
export async function activateSecondFactor(code: string) {
  const { data } = await createApi({}).POST('/admin/api/v1/auth/2fa/activate', { body: { code } });
  if (!data) throw new Error('the response holds no recovery codes');
  return data.recovery_codes;
}

async function step(attempt: () => Promise<SignInStep>): Promise<SignInStep> {
  // There was no answer, or not one of the API.
  return attempt().catch(() => ({ done: false, code: 'CONNECTION_LOST', retry_after_s: undefined }));
}

function refusal({ error }: components['schemas']['Error'], { headers }: Response): SignInStep {
  const seconds = headers.get('retry-after');
  return { done: false, code: error.code, retry_after_s: seconds === null ? undefined : Number(seconds) };
}
