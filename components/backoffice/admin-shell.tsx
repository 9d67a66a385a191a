'use client';

import { CircleUserRound } from 'lucide-react';
import type { ComponentProps } from 'react';
import { notify } from '@/components/kit/ui/notify';
import { NotificationBell } from '@/components/notifications/notification-bell';
import { adminCommands } from '@/components/shell/commands';
import { Shell } from '@/components/shell/shell';
import { UserMenu } from '@/components/shell/user-menu';
import { BackOfficeScope } from '@/lib/client/backoffice';
import { adminPaths } from '@/lib/paths';
import { adminNavigation } from './navigation';
import { signOutOfBackOffice } from './sign-out';

const commands = adminCommands(adminNavigation);
const account = [{ label: 'Your account', href: adminPaths.account(), icon: CircleUserRound }];

/** The back office around its pages. */
export function AdminShell({ administrator, signInAt, children }: ComponentProps<typeof BackOfficeScope>) {
  const signOut = () =>
    signOutOfBackOffice().catch(() => notify('error', 'You are still signed in', { description: 'Try again.' }));
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
            <UserMenu person={administrator} links={account} onSignOut={() => void signOut()} />
          </>
        }
      >
        {children}
      </Shell>
    </BackOfficeScope>
  );
}
