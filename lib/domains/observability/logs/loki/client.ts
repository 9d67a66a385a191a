import { settings } from '@/lib/settings';

/** Thrown where Loki refuses a request; its text may hold labels of the query, but no credentials. */
export class LokiRefusal extends Error {
  override name = 'LokiRefusal';

  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(`Loki answered with ${status}: ${text}`);
  }
}

/** Loki explains a refusal in a few sentences; more is not read into errors. */
const MOST_TEXT = 2000;

/**
 * Sends a request to the Loki of `LOKI_URL`. @returns the body
 * @throws LokiRefusal for any status but 2xx; the errors of `fetch` where it does not respond
 */
export async function askLoki(
  path: string,
  { body, type, signal }: { body: string | URLSearchParams; type?: string; signal: AbortSignal },
): Promise<string> {
  const { address, headers } = connection();
  const response = await fetch(`${address}/loki/api/v1/${path}`, {
    method: 'POST',
    headers: { ...headers, ...(type ? { 'Content-Type': type } : {}) },
    body,
    signal,
    // A redirect would carry lines of tenants to an address that the operator did not set.
    redirect: 'error',
  });
  const text = await response.text();
  if (!response.ok) throw new LokiRefusal(response.status, text.slice(0, MOST_TEXT).trim());
  return text;
}

/** The address without credentials, and the headers that replace them. @throws Error without `LOKI_URL` */
export function connection(): { address: string; headers: Record<string, string>; tenant: string } {
  const { loki } = settings();
  if (!loki) throw new Error('LOKI_URL is not set');
  const url = new URL(loki.url);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = '';
  url.password = '';
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    address: url.href.replace(/\/+$/, ''),
    tenant: loki.tenant ?? '',
    headers: {
      ...(user === '' ? {} : { Authorization: `Basic ${basic}` }),
      ...(loki.tenant === undefined ? {} : { 'X-Scope-OrgID': loki.tenant }),
    },
  };
}
