import { redirect } from 'next/navigation';
import { RequiredSecondFactor } from '@/components/backoffice/required-second-factor';
import { AdminStandAlone } from '@/components/backoffice/stand-alone';
import { mustChangePassword } from '@/lib/core/api/caller';
import { decide } from '@/lib/core/api/policy';
import { adminPaths, safeAdminBack } from '@/lib/paths';
import { currentAdministrator } from '@/lib/people/identity/page-session';

interface SecondFactorPageProps {
  searchParams: Promise<{ back?: string | string[] }>;
}

/** Where administrators without the required second factor set it up; leads back to the page that asked for it. */
export default async function SecondFactorPage({ searchParams }: SecondFactorPageProps) {
  const { back } = await searchParams;
  const target = safeAdminBack(typeof back === 'string' ? back : undefined);
  const administrator = await currentAdministrator();
  if (!administrator) redirect(adminPaths.signIn(target));
  if (mustChangePassword(administrator)) redirect(adminPaths.initialPassword(target));
  if (decide(administrator, 'administrator').allowed) redirect(target);
  return (
    <AdminStandAlone title="Set up two-factor authentication">
      <h1 className="mb-3 font-semibold text-xl tracking-[-0.017em]">Two-factor authentication is required</h1>
      <RequiredSecondFactor email={administrator.email} back={target} />
    </AdminStandAlone>
  );
}
