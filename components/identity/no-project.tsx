'use client';

import { InvitationList } from '@/components/invitations/invitation-list';
import { useInvitations } from '@/components/invitations/use-invitations';
import { StandAlone } from '@/components/kit/page/stand-alone';
import { Button } from '@/components/kit/ui/button';
import { ApiScope } from '@/lib/client/scope';
import { signOutHere } from './sign-out';

/** What a person sees who belongs to no project: what they are invited to, or how to get into one. */
export function NoProject({ email }: { email: string }) {
  return (
    <ApiScope realm={{ kind: 'person' }}>
      <Welcome email={email} />
    </ApiScope>
  );
}

function Welcome({ email }: { email: string }) {
  const invitations = useInvitations();
  const invited = invitations !== undefined && invitations.length > 0;
  return (
    <StandAlone title={invited ? 'Invitations' : 'No project yet'}>
      <h1 className="font-semibold text-xl tracking-[-0.017em]">
        {invited ? 'You are invited' : 'You are not a member of any project yet'}
      </h1>
      <p className="mt-1.5 text-pretty text-ink-muted text-sm">
        {invited
          ? `Signed in as ${email}. Join a project to get started.`
          : `Signed in as ${email}. Ask a project admin to add this e-mail address. The invitation then appears here.`}
      </p>
      {invited && (
        <div className="mt-5 rounded-lg border bg-surface p-4">
          <InvitationList invitations={invitations} />
        </div>
      )}
      <div className="mt-5 flex gap-2">
        {!invited && (
          <Button variant="primary" onClick={() => window.location.reload()}>
            Refresh
          </Button>
        )}
        <Button onClick={() => void signOutHere()}>Sign out</Button>
      </div>
    </StandAlone>
  );
}
