import { leave } from '@/lib/identity/portal-sign-in';
import { paths } from '@/lib/paths';

/** Ends the session of this browser and goes to sign-in, which loads afresh: nothing of the person stays in memory. */
export async function signOutHere(): Promise<void> {
  await leave();
  window.location.assign(paths.signIn());
}
