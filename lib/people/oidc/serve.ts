import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { now } from '@/lib/clock';
import { clientAddress, socketAddressHeader } from '@/lib/core/api/client-address';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { RateLimiter } from '@/lib/core/api/rate-limit';
import { requireSameOrigin } from '@/lib/core/api/same-origin';
import { newId } from '@/lib/core/db/id';
import { sourceOf } from '@/lib/core/net/address';
import { log } from '@/lib/log';
import { authenticate } from '@/lib/people/identity/authenticate';
import { securityHeaders } from '@/lib/security-headers';
import { settings } from '@/lib/settings';
import { advance, decide, redirect } from './interactions';
import { OIDC_PATH, routes } from './issuer';
import { errors } from './library';
import { ssoProvider } from './provider';
import { during, type SsoVisit } from './visit';

/** What a client or browser sends is a form of a few kilobytes. */
const MOST_BYTES = 64 * 1024;

/** Set anew for each server, so that tests can change the limit. */
const limiter = () => new RateLimiter(settings().rateLimitAnonymousPerMinute, settings().rateLimitAnonymousPerMinute);

export type SsoHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves single sign-on: `request` is for an address below `/oidc`. */
export function serveSso(): SsoHandler {
  const rates = limiter();
  return async (request, response) => {
    const visit = await visitOf(request);
    for (const [name, value] of securityHeaders(settings().baseUrl.startsWith('https:')))
      response.setHeader(name, value);
    try {
      limitRate(rates, visit.origin.address);
      limitBody(request);
      await during(visit, () => answer(visit, request, response));
    } catch (error) {
      refuse(response, error);
    }
  };
}

async function answer(visit: SsoVisit, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const provider = await ssoProvider();
  const own = ownAddress(request);
  const [path = ''] = own.split('?');
  if (request.method === 'POST' && getOrPost.has(path)) return repeatAsGet(path, request, response);
  const interaction = /^\/interaction\/[\w-]+(\/decision)?$/.exec(path);
  const exchange = { provider, visit, request, response };
  if (interaction?.[1] && request.method === 'POST') return sendDecision(exchange);
  if (interaction && !interaction[1] && request.method === 'GET') return advance(exchange);
  // The provider knows its routes without the path of the issuer, and builds its addresses with it.
  request.url = own;
  await provider.callback()(Object.assign(request, { originalUrl: OIDC_PATH + own }), response);
}

/**
 * Where applications send browsers by GET or POST (OpenID Connect Core 1.0, section 3.1.2.1; RP-Initiated Logout 1.0,
 * section 2).
 */
const getOrPost: ReadonlySet<string> = new Set([routes.authorization, routes.end_session]);

/** Browsers send no session cookies with a form of another site, but they do with the redirect. */
async function repeatAsGet(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  redirect(response, `${OIDC_PATH}${path}?${new URLSearchParams(await readText(request))}`);
}

/** The address below the issuer. What a client says of host and scheme never counts: the platform knows its own. */
function ownAddress(request: IncomingMessage): string {
  const { host, protocol } = new URL(settings().baseUrl);
  Object.assign(request.headers, { host, 'x-forwarded-proto': protocol.slice(0, -1) });
  delete request.headers['x-forwarded-host'];
  const address = request.url?.slice(OIDC_PATH.length) ?? '';
  return address.startsWith('/') ? address : `/${address}`;
}

async function visitOf(request: IncomingMessage): Promise<SsoVisit> {
  const headers = new Headers();
  if (request.headers.cookie !== undefined) headers.set('cookie', request.headers.cookie);
  const caller = await authenticate(headers, 'tenant');
  const forwarded = request.headers['x-forwarded-for'];
  return {
    person: caller?.kind === 'user' ? caller : undefined,
    origin: {
      at: now(),
      caller,
      address: clientAddress(
        String(request.headers[socketAddressHeader] ?? ''),
        forwarded === undefined ? null : String(forwarded),
        settings().trustedProxies,
      ),
      user_agent: (request.headers['user-agent'] ?? '').slice(0, 300),
      request_id: newId(),
    },
  };
}

/** @throws ApiError 429 */
function limitRate(rates: RateLimiter, address: string): void {
  const verdict = rates.take(sourceOf(address), now().getTime());
  if (verdict.allowed) return;
  throw new ApiError('RATE_LIMITED', `Too many requests. Try again in ${verdict.reset_s} s.`, {
    headers: { 'Retry-After': String(verdict.reset_s) },
  });
}

/** @throws ApiError 413 */
function limitBody(request: IncomingMessage): void {
  const length = Number(request.headers['content-length'] ?? 0);
  const chunked = request.headers['transfer-encoding'] !== undefined;
  if (length > MOST_BYTES || chunked) throw new ApiError('PAYLOAD_TOO_LARGE', 'The body is too large.');
}

const decision = z.strictObject({ granted: z.boolean() });

async function sendDecision(exchange: Parameters<typeof decide>[0]): Promise<void> {
  const { visit, request, response } = exchange;
  requireSameOrigin(new Request(settings().baseUrl, { method: 'POST', headers: proofOf(request) }), visit.person);
  const { data } = decision.safeParse(await readJson(request));
  if (!data) throw invalid('granted: must be true or false.');
  const location = await decide(exchange, data.granted);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify({ location }));
}

/** The headers by which a browser proves that our own page asked. */
function proofOf({ headers }: IncomingMessage): Headers {
  const proof = new Headers();
  for (const name of ['sec-fetch-site', 'origin', 'host']) {
    const value = headers[name];
    if (typeof value === 'string') proof.set(name, value);
  }
  return proof;
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse(await readText(request));
  } catch {
    return undefined;
  }
}

/** The error record; an interaction that has ended is named by the provider. */
function refuse(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof errors.SessionNotFound
      ? new ApiError('UNAUTHENTICATED', 'This sign-in has expired. Start again from the application.')
      : error;
  if (!(known instanceof ApiError)) log.error({ err: error }, 'single sign-on failed');
  const told = known instanceof ApiError ? known : new ApiError('INTERNAL_ERROR', 'Single sign-on failed.');
  if (response.headersSent) return void response.destroy();
  response.writeHead(told.status, { ...told.headers, 'Content-Type': 'application/json' });
  response.end(JSON.stringify(told.body(now())));
}
