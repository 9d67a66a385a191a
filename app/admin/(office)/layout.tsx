import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ReactNode } from 'react';
import { AdminShell } from '@/components/backoffice/admin-shell';
import { mustChangePassword } from '@/lib/core/api/caller';
import { decide } from '@/lib/core/api/policy';
import { adminPaths, paths } from '@/lib/paths';
import { currentAdministrator } from '@/lib/people/identity/page-session';
import { settings } from '@/lib/settings';

/** Every page of the back office: for administrators, with the second factor where one is required. */
export default async function BackOfficeLayout({ children }: { children: ReactNode }) {
  const administrator = await currentAdministrator();
  const page = (await headers()).get('x-page') ?? undefined;
  if (!administrator) redirect(adminPaths.signIn(page));
  if (mustChangePassword(administrator)) redirect(adminPaths.initialPassword(page));
  // Who they are is settled: what the API would still refuse them for is the missing second factor.
  if (!decide(administrator, 'administrator').allowed) redirect(adminPaths.requiredSecondFactor(page));
  const { user_id: id, name, email } = administrator;
  const { baseUrl, backofficeUrl } = settings();
  const signInAt = {
    portal: new URL(paths.signIn(), baseUrl).href,
    backoffice: new URL(adminPaths.signIn(), backofficeUrl).href,
  };
  return (
    <AdminShell administrator={{ id, name, email }} signInAt={signInAt}>
      {children}
    </AdminShell>
  );
}
