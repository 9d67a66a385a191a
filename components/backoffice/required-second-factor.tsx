'use client';

import { SecondFactorSetup } from '@/components/identity/second-factor-setup';
import { Button } from '@/components/kit/ui/button';
import { TooltipHost } from '@/components/kit/ui/tooltip';
import { activateSecondFactor, setUpSecondFactor } from '@/lib/client/backoffice-session';
import { signOutOfBackOffice } from './sign-out';

/** The second factor that the operator requires, before anything else of the back office. */
export function RequiredSecondFactor({ email, back }: { email: string; back: string }) {
  return (
    <>
      <SecondFactorSetup
        email={email}
        setUp={setUpSecondFactor}
        activate={activateSecondFactor}
        onDone={() => window.location.assign(back)}
      />
      <p className="mt-6 flex flex-wrap items-center justify-between gap-2 border-t pt-3 text-ink-muted text-xs">
        <span className="break-all">Signed in as {email}</span>
        <Button variant="quiet" size="sm" onClick={() => void signOutOfBackOffice()}>
          Sign out
        </Button>
      </p>
      <TooltipHost />
    </>
  );
}
