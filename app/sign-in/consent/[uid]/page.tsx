import { redirect } from 'next/navigation';
import { StandAlone } from '@/components/kit/page/stand-alone';
import { Consent, ConsentExpired } from '@/components/sso/consent';
import { mustChangePassword } from '@/lib/core/api/caller';
import { paths } from '@/lib/paths';
import { currentPerson } from '@/lib/people/identity/page-session';
import { pendingConsent } from '@/lib/people/oidc/consent';

/** Asks a member whether an application may sign them in. */
export default async function ConsentPage({ params }: { params: Promise<{ uid: string }> }) {
  const { uid } = await params;
  const person = await currentPerson();
  if (!person) redirect(paths.signIn(paths.consent(uid)));
  if (mustChangePassword(person)) redirect(paths.initialPassword(paths.consent(uid)));
  const pending = await pendingConsent(uid, person.user_id);
  return (
    <StandAlone title={pending ? `Sign in to ${pending.client}` : 'Sign-in expired'}>
      {pending ? <Consent pending={pending} email={person.email} /> : <ConsentExpired />}
    </StandAlone>
  );
}
