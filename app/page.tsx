import { redirect } from 'next/navigation';
import { NoProject } from '@/components/identity/no-project';
import { mustChangePassword } from '@/lib/core/api/caller';
import { paths } from '@/lib/paths';
import { membershipsOf } from '@/lib/people/identity/own-account';
import { currentPerson } from '@/lib/people/identity/page-session';

/** The way in: to the oldest project of whoever is signed in, and to sign-in otherwise. */
export default async function Home() {
  const person = await currentPerson();
  if (!person) redirect(paths.signIn());
  if (mustChangePassword(person)) redirect(paths.initialPassword());
  const memberships = await membershipsOf(person.user_id);
  const first = memberships.find(({ status }) => status === 'active');
  if (first) redirect(paths.overview(first.project_slug));
  return <NoProject email={person.email} />;
}
