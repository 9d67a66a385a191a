'use client';

import { paths } from '@/lib/paths';
import { SignInSteps } from './sign-in-steps';

/** What speaks to the session's endpoints is loaded with the first attempt: most of it serves other kinds of sign-in. */
const portal = () => import('@/lib/people/identity/portal-sign-in');

/** Sign-in to the portal. */
export function SignIn({ back }: { back: string }) {
  return (
    <SignInSteps
      title="Sign in"
      back={back}
      forgotten={paths.forgotPassword()}
      withPassword={async (email, password) => (await portal()).signInWithPassword(email, password)}
      withCode={async (code) => (await portal()).signInWithCode(code)}
    />
  );
}
