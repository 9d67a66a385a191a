import type { NextApiRequest, NextApiResponse } from 'next';
import NextAuth from 'next-auth';
import { portalAuth, visitOf } from '@/lib/people/identity/portal-auth';

export type SignInAnswer = { status: number; body: unknown; set_cookies: string[] };

/** What next-auth answers at `/api/auth/…`, by the handler of it that needs no running Next. */
export async function signInPage(
  method: string,
  path: string,
  { headers, cookies, body }: { headers: Headers; cookies: Record<string, string>; body: Record<string, string> },
): Promise<SignInAnswer> {
  const visit = visitOf(new Request('http://localhost/', { headers }));
  const answer: SignInAnswer = { status: 200, body: undefined, set_cookies: [] };
  const response = {
    status(status: number) {
      answer.status = status;
      return response;
    },
    getHeader: () => [],
    setHeader: (name: string, value: string | string[]) =>
      name === 'Set-Cookie' && answer.set_cookies.push(...[value].flat()),
    json: (json: unknown) => Object.assign(answer, { body: json }),
    send: (text: unknown) => Object.assign(answer, { body: text }),
    end: () => {},
  };
  const request = { method, query: { nextauth: path.split('/') }, body, cookies, headers: Object.fromEntries(headers) };
  await NextAuth(request as unknown as NextApiRequest, response as unknown as NextApiResponse, portalAuth(visit));
  answer.set_cookies.push(...visit.set_cookies);
  return answer;
}
