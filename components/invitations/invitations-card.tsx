'use client';

import { Card } from '@/components/ui/card';
import { InvitationList } from './invitation-list';
import { useInvitations } from './use-invitations';

/** What the reader is invited to; nothing where there is no invitation. */
export function InvitationsCard() {
  const invitations = useInvitations();
  if (!invitations || invitations.length === 0) return null;
  return (
    <Card
      title="Invitations"
      description="Projects that you may join. Until you do, their admins see your e-mail address and nothing more."
    >
      <InvitationList invitations={invitations} />
    </Card>
  );
}
