'use client';

import { signInWithCode, signInWithPassword } from '@/lib/identity/portal-sign-in';
import { SignInSteps } from './sign-in-steps';

/** Sign-in to the portal. */
export function SignIn({ back }: { back: string }) {
  return <SignInSteps title="Sign in" back={back} withPassword={signInWithPassword} withCode={signInWithCode} />;
}
