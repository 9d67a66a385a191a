import { cookies } from 'next/headers';
import { cache } from 'react';
import type { Administrator, Person } from '@/lib/core/api/caller';
import { authenticate } from './authenticate';
import { sessionCookies } from './cookies';

/**
 * Who looks at this page, by the portal's session cookie; checked once a request, however many components ask.
 * Undefined where nobody is signed in, or the session was revoked: where to send them then is the page's business.
 * `membership` is that of `projectId`, or of the person's oldest project.
 * @throws ApiError 404 when the person does not belong to `projectId`
 */
export const currentPerson = cache(async (projectId?: string): Promise<Person | undefined> => {
  const { tenant } = sessionCookies();
  const token = (await cookies()).get(tenant)?.value;
  if (token === undefined) return undefined;
  const headers = new Headers({ cookie: `${tenant}=${token}` });
  if (projectId !== undefined) headers.set('x-project-id', projectId);
  const caller = await authenticate(headers, 'tenant');
  return caller?.kind === 'user' ? caller : undefined;
});

/** The same for a page of the back office, which has a session and a cookie of its own. */
export const currentAdministrator = cache(async (): Promise<Administrator | undefined> => {
  const { backoffice } = sessionCookies();
  const token = (await cookies()).get(backoffice)?.value;
  if (token === undefined) return undefined;
  const caller = await authenticate(new Headers({ cookie: `${backoffice}=${token}` }), 'backoffice');
  return caller?.kind === 'administrator' ? caller : undefined;
});
