import createFetchClient from 'openapi-fetch';
import createQueryHooks from 'openapi-react-query';
import { adminPaths, isAdminPage, paths as pages } from '@/lib/paths';
import { ApiError, connectionLost, readError } from './errors';
import type { paths } from './schema';

/**
 * Sends a request of a page. The browser adds the session cookie, and `Sec-Fetch-Site` or `Origin` as same-origin
 * proof. An ended session redirects to sign-in and back.
 * @throws ApiError for error answers and failed connections
 */
export async function send(request: Request): Promise<Response> {
  const response = await fetch(request).catch((error: unknown) => {
    throw request.signal.aborted ? error : connectionLost();
  });
  if (response.ok) return response;
  const error = await readError(response);
  if (error.code === 'UNAUTHENTICATED') return leaveForSignIn();
  throw error;
}

export type Send = typeof send;

/**
 * For a suspended project: fails without a request, because every refusal is recorded in the audit log. The person's own
 * account works.
 * @throws ApiError TENANT_SUSPENDED
 */
export async function sendToSuspended(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (/^\/api\/v1\/auth\/(?!tokens)/.test(pathname)) return send(request);
  throw new ApiError('TENANT_SUSPENDED', 'The project is suspended.', 403, undefined);
}

/** The typed API client; `headers` name the project, if any. */
export function createApi(headers: Record<string, string>, fetch: Send = send) {
  return createFetchClient<paths>({ fetch, credentials: 'same-origin', headers });
}

export type ApiClient = ReturnType<typeof createApi>;

/** The hooks of a client: `useQuery('get', path, …)`, `useMutation('post', path)`. */
export function createApiHooks(client: ApiClient) {
  return createQueryHooks(client);
}

/** Never settles, so that the page shows no error while it navigates away. */
function leaveForSignIn(): Promise<never> {
  const { pathname, search } = window.location;
  const { signIn } = isAdminPage(pathname) ? adminPaths : pages;
  window.location.assign(signIn(pathname + search));
  return new Promise(() => {});
}
