import type { Caller } from './caller';
import { ApiError } from './errors';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Requires proof that a change made with a cookie comes from our own page, because browsers send cookies for any page:
 * `Sec-Fetch-Site: same-origin`, or an `Origin` with the requested host.
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
