import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';
import { S3Error } from './errors';
import { encoded, header, type S3Request } from './request';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SKEW_MS = 15 * 60_000;
/** Seven days. */
export const LONGEST_PRESIGNED_S = 604_800;
const EMPTY_HASH = createHash('sha256').digest('hex');

/** What a request claims of its signature (AWS Signature Version 4). */
export type Claim = {
  accessKey: string;
  /** yyyymmdd */
  date: string;
  region: string;
  signedHeaders: readonly string[];
  signature: string;
  /** ISO 8601 basic: 20260102T030405Z */
  timestamp: string;
  via: 'header' | 'query';
  /** The hash that the client signed, `UNSIGNED-PAYLOAD`, or a kind of streaming. */
  payload: string;
  /** Of version 2 (`older-signature.ts`); `timestamp` is when the address ends. */
  isOlder?: true;
};

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string | Uint8Array) => hash('sha256', text, 'hex');

const MOST_SIGNING_KEYS = 1000;
const signingKeys = new Map<string, Buffer>();

/** The key of a day, region and service. */
export function signingKey(secret: string, { date, region }: Pick<Claim, 'date' | 'region'>): Buffer {
  const name = `${date}/${region}/${secret}`;
  const known = signingKeys.get(name);
  if (known) return known;
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), 's3'), 'aws4_request');
  if (signingKeys.size >= MOST_SIGNING_KEYS) signingKeys.clear();
  signingKeys.set(name, key);
  return key;
}

export const scopeOf = ({ date, region }: Pick<Claim, 'date' | 'region'>) => `${date}/${region}/s3/aws4_request`;

/** Compares in constant time. */
export function equal(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The claim of a request; undefined for an anonymous one. @throws S3Error for a malformed or outdated one */
export function claimOf(request: S3Request, region: string): Claim | undefined {
  const authorization = header(request, 'authorization');
  const inQuery = request.query.has('X-Amz-Signature') || request.query.has('X-Amz-Algorithm');
  if (authorization === undefined && !inQuery) return undefined;
  if (authorization !== undefined && inQuery)
    throw new S3Error('InvalidArgument', 'Only one authorization mechanism is allowed.');
  const claim = authorization === undefined ? fromQuery(request) : fromHeader(request, authorization);
  if (!claim.signedHeaders.includes('host')) throw new S3Error('AccessDenied', 'The header host must be signed.');
  requireSigned(request, claim);
  if (claim.region !== region) {
    throw new S3Error(
      claim.via === 'header' ? 'AuthorizationHeaderMalformed' : 'AuthorizationQueryParametersError',
      `The region '${claim.region}' is wrong; expecting '${region}'.`,
      { elements: { Region: region } },
    );
  }
  return claim;
}

const notSupported = () =>
  new S3Error(
    'InvalidRequest',
    'The authorization mechanism that you have provided is not supported. Use AWS4-HMAC-SHA256.',
  );

function fromHeader(request: S3Request, authorization: string): Claim {
  if (!authorization.startsWith(ALGORITHM)) {
    if (/^AWS /.test(authorization)) throw notSupported();
    throw new S3Error('InvalidArgument', 'Unsupported authorization type.');
  }
  const fields = new Map(
    authorization
      .slice(ALGORITHM.length)
      .split(',')
      .map((part) => part.trim().split('=', 2) as [string, string]),
  );
  const payload = header(request, 'x-amz-content-sha256');
  if (payload === undefined)
    throw new S3Error('MissingSecurityHeader', 'Missing required header for this request: x-amz-content-sha256');
  const timestamp = timestampOf(request);
  const claim = built(
    fields.get('Credential'),
    fields.get('SignedHeaders'),
    fields.get('Signature'),
    timestamp,
    'AuthorizationHeaderMalformed',
  );
  const sent = parseTimestamp(timestamp);
  if (sent === undefined || claim.date !== timestamp.slice(0, 8))
    throw new S3Error('AccessDenied', 'A valid Date or x-amz-date header is required.');
  if (Math.abs(sent - request.at.getTime()) > SKEW_MS) throw new S3Error('RequestTimeTooSkewed');
  return { ...claim, via: 'header', payload };
}

/** `x-amz-date`, or the Date header in the same form. */
function timestampOf(request: S3Request): string {
  const given = header(request, 'x-amz-date');
  if (given !== undefined) return given;
  const date = Date.parse(header(request, 'date') ?? '');
  if (Number.isNaN(date)) throw new S3Error('AccessDenied', 'A valid Date or x-amz-date header is required.');
  return basicTime(new Date(date));
}

/** 20260102T030405Z */
export const basicTime = (at: Date) => `${at.toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;

function parseTimestamp(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? undefined : at;
}

function fromQuery(request: S3Request): Claim {
  const { query, at } = request;
  const code = 'AuthorizationQueryParametersError';
  if (query.get('X-Amz-Algorithm') !== ALGORITHM)
    throw new S3Error(code, `X-Amz-Algorithm only supports "${ALGORITHM}".`);
  const timestamp = query.get('X-Amz-Date') ?? '';
  const claim = built(
    query.get('X-Amz-Credential'),
    query.get('X-Amz-SignedHeaders'),
    query.get('X-Amz-Signature'),
    timestamp,
    code,
  );
  const sent = parseTimestamp(timestamp);
  if (sent === undefined || claim.date !== timestamp.slice(0, 8))
    throw new S3Error(code, "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\".");
  const expires = query.get('X-Amz-Expires') ?? '';
  if (!/^-?\d{1,12}$/.test(expires)) throw new S3Error(code, 'X-Amz-Expires must be a number of seconds.');
  if (Number(expires) > LONGEST_PRESIGNED_S || Number(expires) < 1)
    throw new S3Error('AccessDenied', 'X-Amz-Expires must be between 1 second and a week.');
  if (sent - at.getTime() > SKEW_MS) throw new S3Error('AccessDenied', 'Request is not yet valid.');
  if (at.getTime() > sent + Number(expires) * 1000) throw new S3Error('AccessDenied', 'Request has expired.');
  return { ...claim, via: 'query', payload: header(request, 'x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD' };
}

function built(
  credential: string | undefined,
  signedHeaders: string | undefined,
  signature: string | undefined,
  timestamp: string,
  code: 'AuthorizationHeaderMalformed' | 'AuthorizationQueryParametersError',
) {
  const [, accessKey, date, region, service, end] =
    /^(.+)\/(\d{8})\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(credential ?? '') ?? [];
  if (accessKey === undefined || date === undefined || region === undefined || end !== 'aws4_request')
    throw new S3Error(code, 'The credential must have the form "<access key>/yyyymmdd/region/s3/aws4_request".');
  if (service !== 's3') throw new S3Error(code, `The service '${service}' is wrong; expecting 's3'.`);
  if (!signedHeaders || !/^[0-9a-f]{64}$/.test(signature ?? ''))
    throw new S3Error(code, 'SignedHeaders and Signature are required.');
  return { accessKey, date, region, timestamp, signature: signature ?? '', signedHeaders: signedHeaders.split(';') };
}

/** Every header that changes what a request means must be signed. */
function requireSigned(request: S3Request, { signedHeaders, via }: Claim): void {
  for (const name of Object.keys(request.headers)) {
    const matters = name.startsWith('x-amz-') && !(via === 'query' && name === 'x-amz-content-sha256');
    if (matters && !signedHeaders.includes(name))
      throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed.', {
        elements: { HeadersNotSigned: name },
      });
  }
}

/** The string whose HMAC is the signature. */
function stringToSign(request: S3Request, claim: Claim): string {
  const query = request.query.entries
    .filter(([name]) => !(claim.via === 'query' && name === 'X-Amz-Signature'))
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([a, av], [b, bv]) => (a === b ? compare(av, bv) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const headers = claim.signedHeaders.map((name) => `${name}:${signedValue(request, name)}\n`).join('');
  const path = request.rawPath
    .split('/')
    .map((part) => encoded(decodeURIComponent(part)))
    .join('/');
  const canonical = [request.method, path, query, headers, claim.signedHeaders.join(';'), claim.payload].join('\n');
  return [ALGORITHM, claim.timestamp, scopeOf(claim), sha256(canonical)].join('\n');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** All values of a header in their order, since Node keeps only the first of some. */
function signedValue({ rawHeaders }: S3Request, name: string): string {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === name) values.push((rawHeaders[i + 1] ?? '').trim().replace(/ +/g, ' '));
  // Node reads headers as Latin-1; clients sign their bytes, which most write as UTF-8.
  return Buffer.from(values.join(','), 'latin1').toString('utf8');
}

/** Whether the secret made the request's signature. */
export function isSigned(request: S3Request, claim: Claim, secret: string): boolean {
  const expected = hmac(signingKey(secret, claim), stringToSign(request, claim)).toString('hex');
  return equal(expected, claim.signature);
}

/** The signature of a piece of a signed stream, or of its trailer; each one contains the one before. */
export function pieceSignature(
  key: Buffer,
  claim: Claim,
  previous: string,
  { kind, hash }: { kind: 'PAYLOAD' | 'TRAILER'; hash: string },
): string {
  const lines = [`${ALGORITHM}-${kind}`, claim.timestamp, scopeOf(claim), previous];
  return hmac(key, [...lines, ...(kind === 'PAYLOAD' ? [EMPTY_HASH] : []), hash].join('\n')).toString('hex');
}

/** The signature of a browser's form over its policy. */
export const policySignature = (secret: string, scope: Pick<Claim, 'date' | 'region'>, policy: string) =>
  hmac(signingKey(secret, scope), policy).toString('hex');

/** …in the older version of signatures. */
export const formSignature = (secret: string, policy: string) =>
  createHmac('sha1', secret).update(policy).digest('base64');

/** The headers that sign a request to another S3 endpoint: `path` encoded, `headers` in lower case, `hash` of its body. */
export function signingHeaders(input: {
  origin: string;
  path: string;
  method: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  hash: string;
  accessKey: string;
  secret: string;
  region: string;
  at: Date;
}): Record<string, string> {
  const timestamp = basicTime(input.at);
  const scope = { date: timestamp.slice(0, 8), region: input.region };
  const more = { 'x-amz-content-sha256': input.hash, 'x-amz-date': timestamp };
  const all = { host: new URL(input.origin).host, ...input.headers, ...more };
  const headers = Object.entries(all).sort(([a], [b]) => compare(a, b));
  const names = headers.map(([name]) => name).join(';');
  const lines = headers.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
  const canonical = [input.method, input.path, canonicalQuery(input.query), lines, names, input.hash].join('\n');
  const toSign = [ALGORITHM, timestamp, scopeOf(scope), sha256(canonical)].join('\n');
  const signature = hmac(signingKey(input.secret, scope), toSign).toString('hex');
  return {
    ...more,
    authorization: `${ALGORITHM} Credential=${input.accessKey}/${scopeOf(scope)}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The parameters of an address as signatures have them: encoded and in order. */
export const canonicalQuery = (query: Record<string, string>) =>
  Object.entries(query)
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([a], [b]) => compare(a, b))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** A presigned address: `path` encoded, valid for `expiresIn` seconds, for the method alone. */
export function presign(input: {
  origin: string;
  path: string;
  method: string;
  query: Record<string, string>;
  /** Headers that the request must carry. */
  headers: Record<string, string>;
  accessKey: string;
  secret: string;
  region: string;
  at: Date;
  expiresIn: number;
}): string {
  const { host } = new URL(input.origin);
  const timestamp = basicTime(input.at);
  const scope = { date: timestamp.slice(0, 8), region: input.region };
  const headers = Object.entries({ host, ...input.headers }).sort(([a], [b]) => compare(a, b));
  const signedHeaders = headers.map(([name]) => name).join(';');
  const query = canonicalQuery({
    ...input.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${input.accessKey}/${scopeOf(scope)}`,
    'X-Amz-Date': timestamp,
    'X-Amz-Expires': String(input.expiresIn),
    'X-Amz-SignedHeaders': signedHeaders,
  });
  const lines = headers.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
  const canonical = [input.method, input.path, query, lines, signedHeaders, 'UNSIGNED-PAYLOAD'].join('\n');
  const toSign = [ALGORITHM, timestamp, scopeOf(scope), sha256(canonical)].join('\n');
  return `${input.origin}${input.path}?${query}&X-Amz-Signature=${hmac(signingKey(input.secret, scope), toSign).toString('hex')}`;
}
