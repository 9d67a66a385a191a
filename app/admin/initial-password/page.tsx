import { redirect } from 'next/navigation';
import { InitialPassword } from '@/components/account/initial-password';
import { AdminStandAlone } from '@/components/backoffice/stand-alone';
import { mustChangePassword } from '@/lib/core/api/caller';
import { adminPaths, safeAdminBack } from '@/lib/paths';
import { currentAdministrator } from '@/lib/people/identity/page-session';

interface InitialPasswordPageProps {
  searchParams: Promise<{ back?: string | string[] }>;
}

/** Replaces the initial password of an administrator, then opens the page that they wanted. */
export default async function InitialPasswordPage({ searchParams }: InitialPasswordPageProps) {
  const { back } = await searchParams;
  const target = safeAdminBack(typeof back === 'string' ? back : undefined);
  const administrator = await currentAdministrator();
  if (!administrator) redirect(adminPaths.signIn(target));
  if (!mustChangePassword(administrator)) redirect(target);
  return (
    <AdminStandAlone title="Choose your password">
      <InitialPassword realm="backoffice" email={administrator.email} back={target} />
    </AdminStandAlone>
  );
}
