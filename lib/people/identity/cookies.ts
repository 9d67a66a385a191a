import { settings } from '@/lib/settings';

/**
 * The session cookie names of the two realms, which may have separate origins. Over HTTPS the names bind them to the
 * host (RFC 6265bis, prefixes).
 */
export function sessionCookies(): { tenant: string; backoffice: string; secure: boolean; backofficeSecure: boolean } {
  const { baseUrl, backofficeUrl } = settings();
  const secure = baseUrl.startsWith('https:');
  const backofficeSecure = backofficeUrl.startsWith('https:');
  return {
    tenant: secure ? '__Host-nephele_session' : 'nephele_session',
    backoffice: backofficeSecure ? '__Host-nephele_admin' : 'nephele_admin',
    secure,
    backofficeSecure,
  };
}

/** The value of a cookie in a `Cookie` header. */
export function readCookie(header: string | null, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}
