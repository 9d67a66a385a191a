'use client';

import { Bell, CircleUserRound } from 'lucide-react';
import type { ComponentProps } from 'react';
import { notify } from '@/components/kit/ui/notify';
import { NotificationBell } from '@/components/notifications/notification-bell';
import type { CommandSource } from '@/components/shell/commands';
import { Shell } from '@/components/shell/shell';
import { UserMenu } from '@/components/shell/user-menu';
import { BackOfficeScope } from '@/lib/client/backoffice';
import { adminPaths } from '@/lib/paths';
import { adminNavigation } from './navigation';
import { signOutOfBackOffice } from './sign-out';

// The account is a page of the navigation too: the palette has it from there.
const account = [{ label: 'Your account', href: adminPaths.account(), icon: CircleUserRound }];
const notifications = [{ label: 'Notifications', href: adminPaths.notifications(), icon: Bell }];

const signOut = () =>
  void signOutOfBackOffice().catch(() => notify('error', 'You are still signed in', { description: 'Try again.' }));
const commands: CommandSource = { groups: adminNavigation, own: { links: notifications, onSignOut: signOut } };

/** The back office around its pages. */
export function AdminShell({ administrator, signInAt, children }: ComponentProps<typeof BackOfficeScope>) {
  return (
    <BackOfficeScope administrator={administrator} signInAt={signInAt}>
      <Shell
        realm="backoffice"
        groups={adminNavigation}
        project=""
        home={adminPaths.home()}
        commands={commands}
        userMenu={
          <>
            <NotificationBell />
            <UserMenu person={administrator} links={[...account, ...notifications]} onSignOut={signOut} />
          </>
        }
      >
        {children}
      </Shell>
    </BackOfficeScope>
  );
}
