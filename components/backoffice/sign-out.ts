import { adminPaths } from '@/lib/paths';

/** Ends the session of this browser and goes to sign-in, which loads afresh: nothing of the person stays in memory. */
export async function signOutOfBackOffice(): Promise<void> {
  const { leaveBackOffice } = await import('@/lib/client/backoffice-session');
  await leaveBackOffice();
  window.location.assign(adminPaths.signIn());
}
