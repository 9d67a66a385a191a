import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { AdminShell } from '@/components/backoffice/admin-shell';
import { decide } from '@/lib/core/api/policy';
import { adminPaths } from '@/lib/paths';
import { currentAdministrator } from '@/lib/people/identity/page-session';

/** Every page of the back office: for administrators, with the second factor where one is required. */
export default async function BackOfficeLayout({ children }: { children: ReactNode }) {
  const administrator = await currentAdministrator();
  const page = (await headers()).get('x-page') ?? undefined;
  if (!administrator) redirect(adminPaths.signIn(page));
  // Who they are is settled: what the API would still refuse them for is the missing second factor.
  if (!decide(administrator, 'administrator').allowed) redirect(adminPaths.requiredSecondFactor(page));
  const { user_id: id, name, email } = administrator;
  return <AdminShell administrator={{ id, name, email }}>{children}</AdminShell>;
}
