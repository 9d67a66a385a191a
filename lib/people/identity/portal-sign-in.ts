import { signIn, signOut } from 'next-auth/react';

/** The result of a sign-in step: done, a code is needed next, or an API error code. */
export type SignInStep =
  | { done: true }
  | { done: false; code: 'MFA_REQUIRED' }
  | { done: false; code: string; retry_after_s: number | undefined };

/** The first step, in the browser. */
export function signInWithPassword(email: string, password: string): Promise<SignInStep> {
  return step('password', { email, password });
}

/**
 * The second step, within five minutes of the first: a TOTP code or recovery code. `UNAUTHENTICATED` means start over.
 */
export function signInWithCode(code: string): Promise<SignInStep> {
  return step('second-factor', { code });
}

/** Ends this browser's session. The page decides where to go next. */
export async function leave(): Promise<void> {
  await signOut({ redirect: false });
}

async function step(provider: string, given: Record<string, string>): Promise<SignInStep> {
  const answer = await signIn(provider, { ...given, redirect: false });
  if (answer?.ok && !answer.error) return { done: true };
  const [code = 'INTERNAL_ERROR', seconds] = (answer?.error ?? 'INTERNAL_ERROR').split(':');
  return { done: false, code, retry_after_s: seconds === undefined ? undefined : Number(seconds) };
}
