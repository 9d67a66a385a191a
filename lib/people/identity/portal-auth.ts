import { createHmac } from 'node:crypto';
import type { AuthOptions, User } from 'next-auth';
import { now } from '@/lib/clock';
import { clientAddress, socketAddressHeader } from '@/lib/core/api/client-address';
import { ApiError } from '@/lib/core/api/errors';
import { newId } from '@/lib/core/db/id';
import { signingKeys } from '@/lib/keyring';
import { log } from '@/lib/log';
import { platformPaths } from '@/lib/platform-paths';
import { settings } from '@/lib/settings';
import * as schema from './auth-schema';
import { authenticate } from './authenticate';
import { readCookie, sessionCookies } from './cookies';
import { signToken, verifyToken } from './session-token';
import { type SignInOrigin, signOut } from './sessions';
import { answerChallenge, type SignInOutcome, signIn } from './sign-in';

declare module 'next-auth' {
  interface User {
    session_id: string;
    expires_at: Date;
  }
}

/** A request to next-auth: its origin, the challenge that it may answer, and the cookies to send back. */
export type Visit = {
  origin: SignInOrigin;
  challenge_token: string | undefined;
  set_cookies: string[];
};

/** The facts that next-auth's own handler lacks: the client address and the pending challenge. */
export function visitOf({ headers }: Request): Visit {
  const { trustedProxies } = settings();
  return {
    origin: {
      at: now(),
      caller: undefined,
      address: clientAddress(headers.get(socketAddressHeader) ?? '', headers.get('x-forwarded-for'), trustedProxies),
      user_agent: (headers.get('user-agent') ?? '').slice(0, 300),
      request_id: newId(),
    },
    challenge_token: readCookie(headers.get('cookie'), challengeCookieName()),
    set_cookies: [],
  };
}

const purpose = { realm: 'tenant', kind: 'browser' } as const;
const COOKIE_DAYS = 7;

/**
 * The next-auth configuration of the portal: the provider `password`, then `second-factor` with a code if one is in
 * force. The session token is ours, so that the API accepts the same cookie. Between the steps, an HttpOnly cookie
 * holds the challenge. `error` is an API error code or MFA_REQUIRED; RATE_LIMITED includes the seconds to wait:
 * `RATE_LIMITED:42`.
 */
export function portalAuth(visit: Visit): AuthOptions {
  const { tenant, secure } = sessionCookies();
  // next-auth reads its own address only from here.
  process.env.NEXTAUTH_URL = settings().baseUrl;
  return {
    // Signs only the form token; the keyring signs the session.
    secret: createHmac('sha256', signingKeys().current.secret).update('next-auth').digest('hex'),
    useSecureCookies: secure,
    cookies: { sessionToken: { name: tenant, options: { httpOnly: true, sameSite: 'lax', path: '/', secure } } },
    session: { strategy: 'jwt', maxAge: COOKIE_DAYS * 24 * 60 * 60 },
    pages: { signIn: platformPaths.signIn(), signOut: platformPaths.signIn(), error: platformPaths.signIn() },
    logger: quietLogger,
    providers: [
      provider('password', async (given) => {
        const { data } = schema.login.pick({ email: true, password: true }).safeParse(given);
        if (!data) throw new ApiError('INVALID_CREDENTIALS', 'Enter an e-mail address and a password.');
        return signedIn(visit, await signIn(visit.origin, data, purpose));
      }),
      provider('second-factor', async ({ code }) => {
        const { data } = schema.disableTotp.safeParse({ code });
        if (!data) throw new ApiError('TOTP_INVALID', 'Enter a code.');
        const challenge_token = visit.challenge_token ?? '';
        return signedIn(visit, await answerChallenge(visit.origin, { challenge_token, code: data.code }, purpose));
      }),
    ],
    jwt: { encode: ({ token }) => encode(token), decode: ({ token }) => decode(token) },
    callbacks: {
      jwt: ({ token, user }) => (user && 'session_id' in user ? tokenOf(user) : token),
      session: ({ session, token }) => ({ ...session, expires: new Date(Number(token.exp) * 1000).toISOString() }),
    },
    events: {
      async signOut({ token }) {
        if (typeof token?.sid !== 'string' || !token.sub || !token.email) return;
        const { sid, sub, email } = token;
        await signOut(visit.origin, { session_id: sid, user_id: sub, email });
      },
    },
  };
}

function provider(id: string, authorize: (given: Record<string, string | undefined>) => Promise<User>) {
  return {
    id,
    name: id,
    type: 'credentials' as const,
    credentials: {},
    async authorize(given: Record<string, string> | undefined) {
      const { email, password, code } = given ?? {};
      try {
        return await authorize(id === 'password' ? { email, password } : { code });
      } catch (error) {
        throw new Error(told(error));
      }
    },
  };
}

/** The error code for the sign-in page. */
function told(error: unknown): string {
  if (error instanceof SecondFactorNeeded) return 'MFA_REQUIRED';
  if (!(error instanceof ApiError)) {
    log.error({ err: error }, 'a sign-in failed');
    return 'INTERNAL_ERROR';
  }
  const wait = error.headers['Retry-After'];
  return wait === undefined ? error.code : `${error.code}:${wait}`;
}

class SecondFactorNeeded extends Error {}

function signedIn(visit: Visit, outcome: SignInOutcome): User {
  if (outcome.step === 'second_factor') {
    visit.set_cookies.push(challengeCookie(outcome.challenge_token, outcome.expires_at, visit.origin.at));
    throw new SecondFactorNeeded();
  }
  if (visit.challenge_token !== undefined)
    visit.set_cookies.push(challengeCookie('', visit.origin.at, visit.origin.at));
  const { account, session_id, expires_at } = outcome;
  return { id: account.id, name: account.name, email: account.email, session_id, expires_at };
}

/** The cookie that carries a challenge from the first step to the second. */
export function challengeCookieName(): string {
  return sessionCookies().secure ? '__Host-nephele_challenge' : 'nephele_challenge';
}

function challengeCookie(value: string, expiresAt: Date, at: Date): string {
  const seconds = Math.round((expiresAt.getTime() - at.getTime()) / 1000);
  const secure = sessionCookies().secure ? '; Secure' : '';
  return `${challengeCookieName()}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

function tokenOf(user: User) {
  const exp = Math.floor(user.expires_at.getTime() / 1000);
  return { sub: user.id, sid: user.session_id, exp, name: user.name, email: user.email };
}

/** The session token. next-auth renews it at times, but its expiry stays the same. */
function encode(token: { sub?: string; sid?: unknown; exp?: unknown } | undefined): Promise<string> {
  const { sub, sid, exp } = token ?? {};
  if (!sub || typeof sid !== 'string') throw new Error('there is no session to write down');
  return signToken('tenant', { sub, sid }, now(), new Date(Number(exp) * 1000));
}

/** The content of a session cookie, while its session is valid. */
async function decode(token: string | undefined) {
  const claims = token === undefined ? undefined : verifyToken('tenant', token, now());
  if (!claims || token === undefined) return null;
  const caller = await authenticate(new Headers({ cookie: `${sessionCookies().tenant}=${token}` }), 'tenant');
  if (caller?.kind !== 'user') return null;
  return { sub: claims.sub, sid: caller.session_id, exp: Number(claims.exp), name: caller.name, email: caller.email };
}

/** An ended session is not an error; log what next-auth reports at debug level only. */
const quietLogger: AuthOptions['logger'] = {
  error: (code, metadata) => log.debug({ code, metadata }, 'next-auth'),
  warn: (code) => log.debug({ code }, 'next-auth'),
  debug: () => {},
};
