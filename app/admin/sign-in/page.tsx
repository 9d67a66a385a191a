import { redirect } from 'next/navigation';
import { AdminSignIn } from '@/components/backoffice/sign-in';
import { AdminStandAlone } from '@/components/backoffice/stand-alone';
import { safeAdminBack } from '@/lib/paths';
import { currentAdministrator } from '@/lib/people/identity/page-session';

/** Sign-in to the back office; leads back to the page that asked for it. */
export default async function AdminSignInPage({
  searchParams,
}: {
  searchParams: Promise<{ back?: string | string[] }>;
}) {
  const { back } = await searchParams;
  const target = safeAdminBack(typeof back === 'string' ? back : undefined);
  if (await currentAdministrator()) redirect(target);
  return (
    <AdminStandAlone title="Sign in">
      <AdminSignIn back={target} />
      <p className="mt-6 text-pretty text-ink-muted text-xs">
        For platform administrators only. Tenant accounts cannot sign in here.
      </p>
    </AdminStandAlone>
  );
}
