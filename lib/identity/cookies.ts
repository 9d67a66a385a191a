import { settings } from '@/lib/settings';

/** The session cookies of the two realms. Over HTTPS their names bind them to the host (RFC 6265bis, prefixes). */
export function sessionCookies(): { tenant: string; backoffice: string; secure: boolean } {
  const secure = settings().baseUrl.startsWith('https:');
  return secure
    ? { tenant: '__Host-nephele_session', backoffice: '__Host-nephele_admin', secure }
    : { tenant: 'nephele_session', backoffice: 'nephele_admin', secure };
}

/** One cookie of a `Cookie` header. */
export function readCookie(header: string | null, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}
