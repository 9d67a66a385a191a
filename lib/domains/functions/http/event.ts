import type { IncomingHttpHeaders } from 'node:http';

/** A request as the gateway hands it over. */
export type HttpRequest = {
  function_id: string;
  invocation_id: string;
  method: string;
  /** Path and query as they were sent. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: Date;
};

/** A response of a function. */
export type HttpResponse = { status: number; headers: [name: string, value: string][]; body: Buffer };

const TEXT = /^(text\/|application\/(json|javascript|xml|x-www-form-urlencoded|graphql|yaml))|[+](json|xml)($|;)/i;
/** Headers of one connection, which a function can't set (RFC 9110, 7.6.1). */
const OWN = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'proxy-connection',
  'te',
  'trailer',
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The event of a request: payload format 2.0 of Amazon API Gateway's HTTP APIs. */
export function eventOf({ function_id, invocation_id, method, url, headers, body, at }: HttpRequest): object {
  const [rawPath = '/', rawQueryString = ''] = url.split(/\?(.*)/s);
  const host = first(headers['x-forwarded-host']) ?? headers.host ?? '';
  const { cookie, ...others } = headers;
  const isText = isPlain(body, headers['content-type'] ?? '');
  const query = queryOf(rawQueryString);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    ...(cookie === undefined ? {} : { cookies: cookie.split(';').map((part) => part.trim()) }),
    headers: Object.fromEntries(
      Object.entries(others).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : value]],
      ),
    ),
    ...(query === undefined ? {} : { queryStringParameters: query }),
    requestContext: {
      accountId: 'anonymous',
      apiId: function_id,
      domainName: host,
      domainPrefix: host.split('.')[0] ?? '',
      http: {
        method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: first(headers['x-forwarded-for'])?.split(',')[0]?.trim() ?? '',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: invocation_id,
      routeKey: '$default',
      stage: '$default',
      time: clf(at),
      timeEpoch: at.getTime(),
    },
    ...(body.length === 0 ? {} : { body: isText ? body.toString('utf8') : body.toString('base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** Bytes that are no text, whatever their header says, are base64. */
function isPlain(body: Buffer, type: string): boolean {
  if (!TEXT.test(type)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
}

function queryOf(text: string): Record<string, string> | undefined {
  if (text === '') return undefined;
  const found: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = Object.hasOwn(found, name) ? found[name] : undefined;
    Object.defineProperty(found, name, {
      value: before === undefined ? value : `${before},${value}`,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return found;
}

/** The time as access logs have it. */
function clf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}`;
  return `${day}:${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} +0000`;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The response of a result: `{statusCode, headers?, cookies?, body?, isBase64Encoded?}`, or anything else as JSON.
 * Undefined for a status or header that HTTP does not have.
 */
export function responseOf(result: unknown): HttpResponse | undefined {
  if (!isRecord(result) || result.statusCode === undefined) {
    const body = Buffer.from(typeof result === 'string' ? result : JSON.stringify(result ?? null));
    return { status: 200, headers: [['content-type', 'application/json']], body };
  }
  const status = Number(result.statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  const given = isRecord(result.headers) ? Object.entries(result.headers) : [];
  const headers = given.flatMap(([name, value]): [string, string][] =>
    (Array.isArray(value) ? value : [value]).map((one) => [name.toLowerCase(), String(one)]),
  );
  const cookies = Array.isArray(result.cookies) ? result.cookies : [];
  for (const cookie of cookies) headers.push(['set-cookie', String(cookie)]);
  if (
    headers.some(([name, value]) => !/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
  )
    return undefined;
  const { body } = result;
  const text = body === undefined || body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  if (!headers.some(([name]) => name === 'content-type') && text !== '')
    headers.push(['content-type', 'text/plain; charset=utf-8']);
  return {
    status,
    headers: headers.filter(([name]) => !OWN.includes(name)),
    body: Buffer.from(text, result.isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}
