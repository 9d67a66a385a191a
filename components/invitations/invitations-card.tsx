'use client';

import { Card } from '@/components/kit/ui/card';
import { lazyComponent } from '@/components/kit/ui/lazy-component';
import { Skeleton } from '@/components/kit/ui/skeleton';
import { useInvitations } from './use-invitations';

/** Forms are heavy, and few readers have an invitation. */
const InvitationList = lazyComponent(
  () => import('./invitation-list').then((module) => module.InvitationList),
  () => <Skeleton className="h-32 w-full" />,
);

/** What the reader is invited to; nothing where there is no invitation. */
export function InvitationsCard() {
  const invitations = useInvitations();
  if (!invitations || invitations.length === 0) return null;
  return (
    <Card
      title="Invitations"
      description="Projects that you can join. Until you do, their admins see your e-mail address and nothing more."
    >
      <InvitationList invitations={invitations} />
    </Card>
  );
}
