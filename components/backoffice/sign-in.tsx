'use client';

import { useState } from 'react';
import { SignInSteps } from '@/components/identity/sign-in-steps';
import { createAdminSignIn } from '@/lib/client/backoffice-session';

/** Sign-in of the platform's administrators. */
export function AdminSignIn({ back }: { back: string }) {
  const [steps] = useState(createAdminSignIn);
  return <SignInSteps title="Sign in to the back office" back={back} {...steps} />;
}
