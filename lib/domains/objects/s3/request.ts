import type { IncomingMessage } from 'node:http';
import { S3Error } from './errors';

/** A request to the S3 endpoint, parsed: what it names, and what was signed. */
export type S3Request = {
  readonly id: string;
  readonly at: Date;
  readonly method: string;
  /** As it came: what the client signed. */
  readonly rawPath: string;
  /** Decoded names and values, in order. */
  readonly query: Query;
  readonly headers: IncomingMessage['headers'];
  /** Names and values as they came. */
  readonly rawHeaders: readonly string[];
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  readonly address: string;
  readonly isSecure: boolean;
  readonly body: AsyncIterable<Uint8Array>;
  /** Whether the body is gathered in memory, and can be read more than once. */
  readonly isSmall: boolean;
};

/** The parameters of an address. */
export class Query {
  readonly entries: readonly (readonly [name: string, value: string])[];
  readonly #first: Map<string, string>;

  constructor(raw: string) {
    this.entries = raw === '' ? [] : raw.split('&').flatMap((part) => (part === '' ? [] : [pair(part)]));
    this.#first = new Map([...this.entries].reverse());
  }

  has(name: string): boolean {
    return this.#first.has(name);
  }

  get(name: string): string | undefined {
    return this.#first.get(name);
  }

  /** A whole number from 0. @throws S3Error InvalidArgument */
  number(name: string, most: number): number | undefined {
    const value = this.get(name);
    if (value === undefined || value === '') return undefined;
    if (!/^\d{1,10}$/.test(value) || Number(value) > 2 ** 31 - 1)
      throw new S3Error('InvalidArgument', `${name} must be a whole number.`, {
        elements: { ArgumentName: name, ArgumentValue: value },
      });
    return Math.min(Number(value), most);
  }
}

function pair(part: string): readonly [string, string] {
  const at = part.indexOf('=');
  // As forms do: clients differ in whether they write a space as a plus sign.
  const decode = (text: string) => decoded(text.replace(/\+/g, '%20'));
  return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
}

/** @throws S3Error InvalidURI for what is no UTF-8 */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI');
  }
}

/** Percent-encodes everything but the unreserved characters of RFC 3986, as signatures require. */
export const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** A header's value; several are joined. */
export function header(request: Pick<S3Request, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** A key may have 1,024 bytes of UTF-8. PostgreSQL can't hold the character zero. @throws S3Error */
export function requireKey(key: string): string {
  if (Buffer.byteLength(key) > 1024) throw new S3Error('KeyTooLongError');
  if (key.includes('\0')) throw new S3Error('InvalidArgument', 'A key must not contain the character zero.');
  return key;
}

/** What a request names: path style, or a bucket in front of the domain. */
export function addressed(
  rawPath: string,
  host: string | undefined,
  domain: string,
): { bucket: string | undefined; key: string | undefined } {
  const name = host?.toLowerCase().replace(/:\d+$/, '') ?? '';
  const inHost = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : undefined;
  const path = rawPath.slice(1);
  if (inHost !== undefined) return { bucket: inHost, key: path === '' ? undefined : requireKey(decoded(path)) };
  const slash = path.indexOf('/');
  const bucket = decoded(slash < 0 ? path : path.slice(0, slash));
  const key = slash < 0 ? '' : decoded(path.slice(slash + 1));
  return { bucket: bucket === '' ? undefined : bucket, key: key === '' ? undefined : requireKey(key) };
}
