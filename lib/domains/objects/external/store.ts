import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { now } from '@/lib/clock';
import { ApiError } from '@/lib/core/api/errors';
import { settings } from '@/lib/settings';
import { encoded } from '../s3/request';
import { canonicalQuery, signingHeaders } from '../s3/signature';
import { parseXml, text } from '../s3/xml';

/** Access key and secret of an account of the outside store. */
export type Pair = { access_key: string; secret: string };

export type Wish = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Decoded: `/bucket/a key`. */
  path: string;
  query?: Record<string, string>;
  /** In lower case. */
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
};

export type Reply = { headers: Headers; body: string };

/** A refusal of the outside store, with a code of S3 or Admin Ops where it has one. */
export class StoreRefusal extends Error {
  override name = 'StoreRefusal';

  constructor(
    readonly status: number,
    readonly code: string,
    what: string,
  ) {
    super(`the outside object storage answered ${what} with ${status} ${code}`);
  }
}

const PATIENCE_MS = 30_000;
/** Larger bodies get longer: so many bytes a millisecond are slow for any network of a store. */
const SLOW_BYTES = 1024;

/** The store that the settings name. @throws ApiError 503 without one */
export function outsideStore() {
  const { external } = settings().s3;
  if (external) return external;
  throw new ApiError(
    'ENGINE_UNAVAILABLE',
    'The bucket is in an outside store. An operator must set S3_ENGINE=external.',
  );
}

/**
 * Sends a signed request to the outside store.
 * @throws StoreRefusal for any status but 2xx; ApiError 503 where it does not respond
 */
export async function ask(pair: Pair, wish: Wish): Promise<Reply> {
  const { length } = wish.body ?? '';
  const response = await send(pair, wish, AbortSignal.timeout(PATIENCE_MS + Math.ceil(length / SLOW_BYTES)));
  return { headers: response.headers, body: await response.text() };
}

/**
 * Opens an object to be read, for as long as that takes. A cut one ends with an error.
 * @param path decoded: `/bucket/a key`
 * @throws StoreRefusal 404 when there is none; ApiError 503
 */
export async function open(pair: Pair, path: string): Promise<Readable> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), PATIENCE_MS);
  const response = await send(pair, { method: 'GET', path }, late.signal).finally(() => clearTimeout(timer));
  return response.body ? Readable.fromWeb(response.body as ReadableStream) : Readable.from([]);
}

async function send(
  pair: Pair,
  { method, path, query = {}, headers = {}, body = '' }: Wish,
  signal: AbortSignal,
): Promise<Response> {
  const { origin } = outsideStore();
  const written = path.split('/').map(encoded).join('/');
  const hash = createHash('sha256').update(body).digest('hex');
  const signed = signingHeaders({
    origin,
    path: written,
    method,
    query,
    headers,
    hash,
    accessKey: pair.access_key,
    secret: pair.secret,
    region: settings().s3.region,
    at: now(),
  });
  const parameters = canonicalQuery(query);
  const what = `${method} ${path.split('/').slice(0, 3).join('/')}`;
  const response = await fetch(`${origin}${written}${parameters === '' ? '' : `?${parameters}`}`, {
    method,
    headers: { ...headers, ...signed },
    ...(body.length === 0 ? {} : { body }),
    // A redirect would carry requests to an address that the operator did not set.
    redirect: 'manual',
    signal,
  }).catch((cause) => {
    throw new ApiError('ENGINE_UNAVAILABLE', 'The outside object storage does not respond. Try again later.', {
      cause,
    });
  });
  if (response.ok) return response;
  throw new StoreRefusal(response.status, codeIn(await response.text()), what);
}

/** S3 answers in XML, Admin Ops in JSON. */
function codeIn(answer: string): string {
  const xml = text(parseXml(answer, 'Error')?.Code);
  if (xml !== undefined) return xml;
  return /"Code"\s*:\s*"(\w+)"/.exec(answer)?.[1] ?? '';
}

/** The answer, or undefined where the store says 404. */
export const unlessMissing = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error) => {
    if (error instanceof StoreRefusal && error.status === 404) return undefined;
    throw error;
  });

/** A refusal as the tenant should read it; other errors as they are. */
export function refusalOf(error: unknown, messages: Record<string, ApiError>): unknown {
  if (!(error instanceof StoreRefusal)) return error;
  const known = messages[error.code];
  if (known) return known;
  return new ApiError('ENGINE_ERROR', `The outside object storage refused it${error.code && ` (${error.code})`}.`, {
    cause: error,
  });
}
