import { ApiError } from '@/lib/core/api/errors';
import { log } from '@/lib/log';

/** Text of an answer in the log: Loki and Prometheus explain a refusal in a few sentences. */
const MOST_TEXT = 500;

/** Thrown where an outside store refuses a request. Its text may hold labels of the query, but no credentials. */
export class OutsideRefusal extends Error {
  override name = 'OutsideRefusal';

  constructor(
    store: string,
    readonly status: number,
    readonly text: string,
  ) {
    super(`${store} answered with ${status}: ${text.slice(0, MOST_TEXT).trim()}`);
  }
}

export type OutsideRequest = {
  body: string | URLSearchParams | Buffer<ArrayBuffer>;
  headers?: Record<string, string>;
  signal: AbortSignal;
  /** Size of the largest answer that is read. By default: any. */
  most_bytes?: number;
};

/** Thrown for an answer larger than `most_bytes`. */
export class OutsideTooLarge extends Error {
  override name = 'OutsideTooLarge';
}

/**
 * Sends a request to a store that the operator runs, such as the Loki of `LOKI_URL`. @returns the body
 * @param store its name in errors
 * @param url its setting, possibly with user and password
 * @throws OutsideRefusal for any status but 2xx; OutsideTooLarge; the errors of `fetch` where it does not respond
 */
export async function askOutside(
  store: string,
  url: string,
  path: string,
  { body, headers, signal, most_bytes = Infinity }: OutsideRequest,
): Promise<string> {
  const { address, authorization } = withoutCredentials(url);
  const response = await fetch(`${address}/${path}`, {
    method: 'POST',
    headers: { ...authorization, ...headers },
    body,
    signal,
    // A redirect would carry data of tenants to an address that the operator did not set.
    redirect: 'error',
  });
  const text = await textOf(response, most_bytes);
  if (!response.ok) throw new OutsideRefusal(store, response.status, text);
  return text;
}

async function textOf({ body }: Response, most_bytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > most_bytes) throw new OutsideTooLarge(`the answer has more than ${most_bytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The API's refusal while an outside store does not respond. @param store the start of the sentence */
export const doesNotRespond = (store: string, cause: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', `${store} does not respond. Try again later.`, {
    headers: { 'Retry-After': '5' },
    cause,
  });

/** Pauses between attempts double up to this: a store that is back gets its data within a minute. */
const MOST_PAUSE_MS = 60_000;

/**
 * Attempts of this process to push something, with a pause and one warning after each failure.
 * @param failed the warning
 */
export function attempts(failed: string): (signal: AbortSignal, attempt: () => Promise<void>) => Promise<void> {
  const pause = { failures: 0, ends_at: 0 };
  return async (signal, attempt) => {
    if (performance.now() < pause.ends_at) return;
    try {
      await attempt();
      pause.failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      pause.failures += 1;
      const pause_ms = Math.min(MOST_PAUSE_MS, 1000 * 2 ** pause.failures);
      pause.ends_at = performance.now() + pause_ms;
      log.warn({ err: error, pause_ms }, failed);
    }
  };
}

/** The address without user and password, which `fetch` refuses, and the header that replaces them. */
export function withoutCredentials(url: string): { address: string; authorization: { Authorization?: string } } {
  const { username, password } = new URL(url);
  const address = new URL(url);
  address.username = '';
  address.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    address: address.href.replace(/\/+$/, ''),
    authorization: credentials === ':' ? {} : { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
}
