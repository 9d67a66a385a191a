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
};

/**
 * Sends a request to a store that the operator runs, such as the Loki of `LOKI_URL`. @returns the body
 * @param store its name in errors
 * @param url its setting, possibly with user and password
 * @throws OutsideRefusal for any status but 2xx; the errors of `fetch` where it does not respond
 */
export async function askOutside(
  store: string,
  url: string,
  path: string,
  { body, headers, signal }: OutsideRequest,
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
  const text = await response.text();
  if (!response.ok) throw new OutsideRefusal(store, response.status, text);
  return text;
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
