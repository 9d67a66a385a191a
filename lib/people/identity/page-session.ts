import { cookies } from 'next/headers';
import { cache } from 'react';
import type { Administrator, Person } from '@/lib/core/api/caller';
import { authenticate } from './authenticate';
import { sessionCookies } from './cookies';

/**
 * The person who views this page, by the portal's session cookie; cached per request. Undefined if nobody is signed in
 * or the session was revoked; the page decides where to redirect. `membership` is that of `projectId`, or of the
 * person's oldest project.
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

/** The administrator who views a back-office page, which has its own session and cookie. */
export const currentAdministrator = cache(async (): Promise<Administrator | undefined> => {
  const { backoffice } = sessionCookies();
  const token = (await cookies()).get(backoffice)?.value;
  if (token === undefined) return undefined;
  const caller = await authenticate(new Headers({ cookie: `${backoffice}=${token}` }), 'backoffice');
  return caller?.kind === 'administrator' ? caller : undefined;
});
