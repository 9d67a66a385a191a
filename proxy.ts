import { type NextRequest, NextResponse } from 'next/server';
import { contentSecurityPolicy, securityHeaders } from '@/lib/security-headers';
import { settings } from '@/lib/settings';

/** Gives every page a new nonce under a strict content policy, and the usual security headers. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64');
  const policy = contentSecurityPolicy({
    nonce,
    host: request.headers.get('host'),
    storage: new URL(settings().s3.url).origin,
    development: process.env.NODE_ENV === 'development',
  });
  // Next reads the nonce from the request's own policy and adds it to every script.
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  headers.set('X-Nonce', nonce);
  // Server components do not know the address to return to after sign-in.
  headers.set('X-Page', request.nextUrl.pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  const https = request.nextUrl.protocol === 'https:' || request.headers.get('x-forwarded-proto') === 'https';
  for (const [name, value] of securityHeaders(https)) response.headers.set(name, value);
  return response;
}

export const config = {
  // The API sets its own headers; Next's build output is only loaded by pages.
  matcher: ['/((?!api/|admin/api/|_next/static/|_next/image).*)'],
};
