'use client';

import type { ComponentProps } from 'react';
import { PortalShell } from '@/components/shell/portal-shell';
import { signOutHere } from './sign-out';

/** The portal's shell with the way out. */
export function ProjectShell(props: Omit<ComponentProps<typeof PortalShell>, 'onSignOut'>) {
  return <PortalShell {...props} onSignOut={signOut} />;
}

const signOut = () => void signOutHere();
