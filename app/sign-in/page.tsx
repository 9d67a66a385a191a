import { redirect } from 'next/navigation';
import { SignIn } from '@/components/identity/sign-in';
import { StandAlone } from '@/components/kit/page/stand-alone';
import { safeBack } from '@/lib/paths';
import { currentPerson } from '@/lib/people/identity/page-session';

/** Sign-in to the portal; leads back to the page that asked for it. */
export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<{ back?: string | string[]; again?: string | string[] }>;
}) {
  const { back, again } = await searchParams;
  const target = safeBack(typeof back === 'string' ? back : undefined);
  if (again !== 'true' && (await currentPerson())) redirect(target);
  return (
    <StandAlone title="Sign in">
      <SignIn back={target} />
    </StandAlone>
  );
}
