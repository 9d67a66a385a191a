import { settings } from '@/lib/settings';
import { S3Error } from './errors';
import { header, type S3Request } from './request';
import { type Elements, list, parseXml, text } from './xml';

/** A rule of a bucket for pages of other origins. */
export type CorsRule = {
  id?: string;
  origins: string[];
  methods: Method[];
  headers: string[];
  exposed: string[];
  maxAge?: number;
};

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'] as const;
type Method = (typeof METHODS)[number];
const isMethod = (name: string): name is Method => METHODS.some((known) => known === name);
const MOST_RULES = 100;
/** What pages of the portal need to see of an answer. */
const PORTAL_EXPOSED = [
  'ETag',
  'x-amz-version-id',
  'x-amz-request-id',
  'Content-Length',
  'Content-Type',
  'Content-Range',
];

/** @throws S3Error MalformedXML, InvalidRequest */
export function parseCors(body: string): CorsRule[] {
  const rules = list(parseXml(body, 'CORSConfiguration')?.CORSRule);
  if (rules.length === 0 || rules.length > MOST_RULES) throw new S3Error('MalformedXML');
  return rules.map((rule) => {
    if (typeof rule === 'string' || Array.isArray(rule)) throw new S3Error('MalformedXML');
    const { ID, AllowedOrigin, AllowedMethod, AllowedHeader, ExposeHeader, MaxAgeSeconds } = rule as Record<
      string,
      never
    >;
    const texts = (value: unknown) => list(value as never).map((item) => text(item)?.trim() ?? '');
    const [origins, methods, headers] = [texts(AllowedOrigin), texts(AllowedMethod), texts(AllowedHeader)];
    if (origins.length === 0 || methods.length === 0) throw new S3Error('MalformedXML');
    const wrong = methods.find((method) => !isMethod(method));
    if (wrong !== undefined)
      throw new S3Error(
        'InvalidRequest',
        `Found unsupported HTTP method in CORS config. Unsupported method is ${wrong}`,
      );
    if ([...origins, ...headers].some((value) => value.split('*').length > 2))
      throw new S3Error('InvalidRequest', 'An origin or header can not have more than one wildcard.');
    const age = text(MaxAgeSeconds);
    return {
      ...(ID === undefined ? {} : { id: text(ID) ?? '' }),
      origins,
      methods: methods.filter(isMethod),
      headers,
      exposed: texts(ExposeHeader),
      ...(age === undefined ? {} : { maxAge: Number.parseInt(age, 10) || 0 }),
    };
  });
}

const like = (pattern: string, value: string) => {
  const [before = '', rest] = pattern.split('*');
  if (rest === undefined) return pattern === value;
  return value.length >= before.length + rest.length && value.startsWith(before) && value.endsWith(rest);
};

/** The rule for the portal's own origin, without which its pages could not send or read objects. */
export const portalRule = (): CorsRule => ({
  origins: [new URL(settings().baseUrl).origin],
  methods: [...METHODS],
  headers: ['*'],
  exposed: PORTAL_EXPOSED,
  maxAge: 3600,
});

/** The rules of the bucket, and before them the portal's own origin. */
const rulesOf = (cors: unknown): CorsRule[] => [portalRule(), ...((cors as CorsRule[] | null) ?? [])];

export const corsElements = (rules: readonly CorsRule[]): Elements => ({
  CORSRule: rules.map((rule) => ({
    ID: rule.id,
    AllowedOrigin: rule.origins,
    AllowedMethod: rule.methods,
    AllowedHeader: rule.headers,
    ExposeHeader: rule.exposed,
    MaxAgeSeconds: rule.maxAge,
  })),
});

/** The headers by which a browser lets a page of another origin read the answer; none if no rule allows it. */
export function corsHeaders(request: S3Request, cors: unknown): Record<string, string> {
  const origin = header(request, 'origin');
  if (origin === undefined) return {};
  const isPreflight = request.method === 'OPTIONS';
  const method = header(request, 'access-control-request-method') ?? request.method;
  const wanted = isPreflight
    ? (header(request, 'access-control-request-headers') ?? '')
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter((name) => name !== '')
    : [];
  const rule = rulesOf(cors).find(
    ({ origins, methods, headers }) =>
      origins.some((pattern) => like(pattern, origin)) &&
      methods.some((allowed) => allowed === method) &&
      wanted.every((name) => headers.some((pattern) => like(pattern.toLowerCase(), name))),
  );
  if (!rule) return {};
  const all = rule.origins.includes('*');
  return {
    'Access-Control-Allow-Origin': all ? '*' : origin,
    'Access-Control-Allow-Methods': rule.methods.join(', '),
    ...(all ? {} : { 'Access-Control-Allow-Credentials': 'true' }),
    ...(wanted.length > 0 ? { 'Access-Control-Allow-Headers': wanted.join(', ') } : {}),
    ...(rule.exposed.length > 0 ? { 'Access-Control-Expose-Headers': rule.exposed.join(', ') } : {}),
    ...(isPreflight && rule.maxAge !== undefined ? { 'Access-Control-Max-Age': String(rule.maxAge) } : {}),
    Vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
}
