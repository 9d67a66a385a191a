import { AsyncLocalStorage } from 'node:async_hooks';
import type { Person } from '@/lib/core/api/caller';
import type { SignInOrigin } from '@/lib/people/identity/sessions';

/** One request to the provider: where it comes from, and who is signed in to the portal in that browser. */
export type SsoVisit = { origin: SignInOrigin; person: Person | undefined };

const visits = new AsyncLocalStorage<SsoVisit>();

/** Runs the work of a request. */
export function during<T>(visit: SsoVisit, work: () => Promise<T>): Promise<T> {
  return visits.run(visit, work);
}

/** The request at hand. */
export function presentVisit(): SsoVisit {
  const visit = visits.getStore();
  if (!visit) throw new Error('there is no request to the single sign-on provider');
  return visit;
}
