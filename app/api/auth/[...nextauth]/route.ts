import { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { now } from '@/lib/clock';
import { ApiError } from '@/lib/core/api/errors';
import { readBody } from '@/lib/core/api/request';
import { portalAuth, visitOf } from '@/lib/people/identity/portal-auth';

type Context = { params: Promise<{ nextauth: string[] }> };

const MOST_BYTES = 16 * 1024;

/** Sign-in and sign-out of the portal, by next-auth; the API below /api/v1 knows the session cookie that it sets. */
async function answer(request: NextRequest, context: Context): Promise<Response> {
  const { nextauth } = await context.params;
  // Where next-auth's client would write into our log.
  if (nextauth[0] === '_log') return new Response(null, { status: 204 });
  // A form is sent there; next-auth would answer anything else with 500.
  if (nextauth[0] === 'callback' && request.method !== 'POST') return refusal(postOnly());
  const bounded = request.method === 'POST' ? await withBoundedBody(request) : request;
  if (bounded instanceof Response) return bounded;
  const visit = visitOf(bounded);
  const response: Response = await NextAuth(bounded, context, portalAuth(visit));
  for (const cookie of visit.set_cookies) response.headers.append('Set-Cookie', cookie);
  response.headers.set('Cache-Control', 'no-store');
  return response;
}

/** next-auth reads a body of any size, whoever sends it. */
async function withBoundedBody(request: NextRequest): Promise<NextRequest | Response> {
  try {
    return new NextRequest(request, { body: Buffer.from(await readBody(request, MOST_BYTES)) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusal(error);
  }
}

function postOnly(): ApiError {
  return new ApiError('METHOD_NOT_ALLOWED', 'Only POST is possible here. Sign in at /sign-in.', {
    headers: { Allow: 'POST' },
  });
}

function refusal(error: ApiError): Response {
  return Response.json(error.body(now()), { status: error.status, headers: error.options.headers ?? {} });
}

export { answer as GET, answer as POST };
