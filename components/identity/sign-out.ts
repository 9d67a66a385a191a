import { paths } from '@/lib/paths';

/** Ends the session of this browser and goes to sign-in, which loads afresh: nothing of the person stays in memory. */
export async function signOutHere(): Promise<void> {
  const { leave } = await import('@/lib/people/identity/portal-sign-in');
  await leave();
  window.location.assign(paths.signIn());
}
