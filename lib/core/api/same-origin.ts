import type { Caller } from './caller';
import { ApiError } from './errors';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A cookie is sent by the browser whichever page asks, so a change made with one must prove that our own page asked:
 * `Sec-Fetch-Site: same-origin`, or an `Origin` that names the host the request went to.
 * @throws ApiError 403 without that proof
 */
export function requireSameOrigin(request: Request, caller: Caller | undefined): void {
  const byCookie = caller && 'via' in caller && caller.via === 'cookie';
  if (!byCookie || READING.has(request.method)) return;
  const site = request.headers.get('sec-fetch-site');
  if (site === 'same-origin') return;
  const origin = request.headers.get('origin');
  const host = request.headers.get('host');
  if (site === null && origin !== null && host !== null && hostOf(origin) === host) return;
  throw new ApiError(
    'FORBIDDEN',
    'A change authenticated by the session cookie must come from a page of the same origin.',
  );
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
