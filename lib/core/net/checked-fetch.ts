import { type LookupAddress, lookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { invalid } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import { isPublic, parseAddress, within } from './address';

const TIMEOUT_MS = 5_000;
const MOST_BYTES = 256 * 1024;

/** A URL that may not be called, or a failed call. The message is for the tenant who gave the URL. */
export class OutgoingError extends Error {
  override name = 'OutgoingError';
}

export type OutgoingRequest = {
  method?: 'GET' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** For the whole call, from DNS lookup to the last byte. */
  timeout_ms?: number;
  /** A longer answer fails the call. */
  most_bytes?: number;
  signal?: AbortSignal;
};

export type OutgoingResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** The private destinations that may be called (host names, `*.` patterns, addresses, ranges), and the resolver. */
export type OutgoingPolicy = {
  allowed: readonly string[];
  resolve: (host: string) => Promise<LookupAddress[]>;
};

const systemLookup = promisify(lookup);

/** The policy set by the operator. */
export function operatorsPolicy(): OutgoingPolicy {
  return { allowed: settings().allowPrivateUrls, resolve: (host) => systemLookup(host, { all: true }) };
}

/**
 * The only way to call a URL from a tenant. The connection goes to the address that was checked, so DNS cannot change
 * in between. Only public addresses are called, and those listed in ALLOW_PRIVATE_URLS. Redirects are returned, never
 * followed. Time and size are bounded.
 * @throws OutgoingError when the URL may not be called, or gave no complete answer
 */
export async function checkedFetch(
  url: string,
  request: OutgoingRequest = {},
  policy: OutgoingPolicy = operatorsPolicy(),
): Promise<OutgoingResponse> {
  const checked = checkUrl(url, policy.allowed);
  const timeout = AbortSignal.timeout(request.timeout_ms ?? TIMEOUT_MS);
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  try {
    return await exchange(checked, { ...request, signal }, checkedLookup(policy));
  } catch (error) {
    if (error instanceof OutgoingError) throw error;
    throw new OutgoingError(`${checked.host} ${timeout.aborted ? 'did not respond in time' : failure(error)}.`, {
      cause: error,
    });
  }
}

/**
 * Checks a URL without resolving it: `https` (`http` only for hosts and addresses that the operator lists), no
 * credentials, and no private IP address as host.
 * @throws OutgoingError
 */
export function checkUrl(text: string, allowed: readonly string[] = settings().allowPrivateUrls): URL {
  if (!URL.canParse(text)) throw new OutgoingError('This is not a URL.');
  const url = new URL(text);
  const address = parseAddress(url.hostname);
  const listed = address ? within(address, allowed) : isListedHost(url.hostname, allowed);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && listed)) {
    throw new OutgoingError('The URL must begin with https://.');
  }
  if (url.username !== '' || url.password !== '') throw new OutgoingError('The URL must not contain credentials.');
  if (address && !listed && !isPublic(address)) throw privateAddress(url.hostname);
  return url;
}

/** `checkUrl` for a request field. @throws ApiError 400 that names the field */
export function requireOutgoingUrl(field: string, text: string): URL {
  try {
    return checkUrl(text);
  } catch (error) {
    if (error instanceof OutgoingError) throw invalid(`${field}: ${error.message}`);
    throw error;
  }
}

function isListedHost(host: string, allowed: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return allowed.some((entry) => {
    const listed = entry.toLowerCase();
    return listed.startsWith('*.') ? name.endsWith(listed.slice(1)) : name === listed;
  });
}

function privateAddress(host: string): OutgoingError {
  return new OutgoingError(`${host} is not on the public internet, and the operator has not allowed it.`);
}

/** Whether an IP address as host may be called; names are checked when resolved. */
export function mayCallAddress(host: string, { allowed }: OutgoingPolicy): boolean {
  const address = parseAddress(host);
  return address === undefined || isPublic(address) || within(address, allowed);
}

/** Resolves a name once, for the connection itself. One private address among several is enough to refuse. */
export function checkedLookup({ allowed, resolve }: OutgoingPolicy): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        const addresses = found.map(({ address }) => parseAddress(address));
        const [first] = found;
        const mayCall = (address: (typeof addresses)[number]) =>
          address !== undefined && (isPublic(address) || within(address, allowed));
        if (!first) callback(new OutgoingError(`${host} has no IP address.`), '');
        else if (!isListedHost(host, allowed) && !addresses.every(mayCall)) callback(privateAddress(host), '');
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

function exchange(
  url: URL,
  { method = 'GET', headers, body, signal, most_bytes = MOST_BYTES }: OutgoingRequest,
  checked: LookupFunction,
): Promise<OutgoingResponse> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = send(url, {
      method,
      // A pooled connection may have passed a different check.
      agent: false,
      lookup: checked,
      headers: { 'User-Agent': 'Nephele', Accept: '*/*', 'Accept-Encoding': 'identity', ...headers },
      ...(signal ? { signal } : {}),
    });
    request.on('error', reject);
    request.on('response', (response) => {
      readAll(response, most_bytes)
        .then((bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes }))
        .catch(reject)
        .finally(() => request.destroy());
    });
    request.end(body);
  });
}

async function readAll(response: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > mostBytes) throw new OutgoingError(`The response is larger than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const failures: Record<string, string> = {
  ENOTFOUND: 'has no IP address',
  EAI_AGAIN: 'could not be resolved',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
};

function failure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = failures[code];
  if (known) return known;
  return /CERT|TLS|SSL|SELF_SIGNED|ALTNAME/.test(code)
    ? `has no valid certificate (${code})`
    : 'did not send a valid response';
}
