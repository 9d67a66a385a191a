import { redirect } from 'next/navigation';
import { InitialPassword } from '@/components/account/initial-password';
import { StandAlone } from '@/components/kit/page/stand-alone';
import { mustChangePassword } from '@/lib/core/api/caller';
import { paths, safeBack } from '@/lib/paths';
import { currentPerson } from '@/lib/people/identity/page-session';

interface InitialPasswordPageProps {
  searchParams: Promise<{ back?: string | string[] }>;
}

/** Replaces the initial password of a user, then opens the page that they wanted. */
export default async function InitialPasswordPage({ searchParams }: InitialPasswordPageProps) {
  const { back } = await searchParams;
  const target = safeBack(typeof back === 'string' ? back : undefined);
  const person = await currentPerson();
  if (!person) redirect(paths.signIn(target));
  if (!mustChangePassword(person)) redirect(target);
  return (
    <StandAlone title="Choose your password">
      <InitialPassword realm="portal" email={person.email} back={target} />
    </StandAlone>
  );
}
