'use client';

import { StandAlone } from '@/components/page/stand-alone';
import { Button } from '@/components/ui/button';
import { signOutHere } from './sign-out';

/** What a person sees who belongs to no project. */
export function NoProject({ email }: { email: string }) {
  return (
    <StandAlone title="No project yet">
      <h1 className="font-semibold text-xl tracking-[-0.017em]">You belong to no project yet</h1>
      <p className="mt-1.5 text-pretty text-ink-muted text-sm">
        You are signed in as {email}. Ask the admin of a project to add you by this address; the project shows here
        then.
      </p>
      <div className="mt-5 flex gap-2">
        <Button variant="primary" onClick={() => window.location.reload()}>
          Look again
        </Button>
        <Button onClick={() => void signOutHere()}>Sign out</Button>
      </div>
    </StandAlone>
  );
}
