import { type Address, parseAddress, within } from '@/lib/core/net/address';
import { S3Error } from './errors';

/** A rule of a bucket policy (IAM's JSON), as far as it is supported; anything else is refused when it is stored. */
type Statement = {
  effect: 'Allow' | 'Deny';
  /** `*`, or principals. */
  principals: '*' | readonly string[];
  actions: readonly Pattern[];
  notActions: boolean;
  resources: readonly Pattern[];
  notResources: boolean;
  conditions: readonly Condition[];
};

type Condition = { operator: Operator; ifExists: boolean; key: string; values: readonly string[] };

/** What a request wants. */
export type Wish = {
  /** `s3:GetObject` */
  action: string;
  /** `arn:aws:s3:::bucket/key` */
  resource: string;
  /** The names by which a policy can mean the caller; none for an anonymous one. */
  principals: readonly string[];
  /** The values of condition keys, in lower case; absent ones have none. */
  context: ReadonlyMap<string, string>;
};

type Operator = (typeof operators)[number];
const operators = [
  'StringEquals',
  'StringNotEquals',
  'StringEqualsIgnoreCase',
  'StringNotEqualsIgnoreCase',
  'StringLike',
  'StringNotLike',
  'IpAddress',
  'NotIpAddress',
  'Bool',
  'NumericEquals',
  'NumericNotEquals',
  'NumericLessThan',
  'NumericLessThanEquals',
  'NumericGreaterThan',
  'NumericGreaterThanEquals',
  'Null',
] as const;

const keys = [
  /^aws:sourceip$/,
  /^aws:securetransport$/,
  /^aws:useragent$/,
  /^aws:referer$/,
  /^aws:principaltype$/,
  /^aws:userid$/,
  /^s3:prefix$/,
  /^s3:delimiter$/,
  /^s3:max-keys$/,
  /^s3:versionid$/,
  /^s3:x-amz-acl$/,
  /^s3:x-amz-copy-source$/,
  /^s3:x-amz-metadata-directive$/,
  /^s3:x-amz-content-sha256$/,
  /^s3:signatureversion$/,
  /^s3:authtype$/,
  /^s3:existingobjecttag\/.+$/,
  /^s3:requestobjecttag\/.+$/,
];

const MOST_BYTES = 20 * 1024;

const malformed = (message: string) => new S3Error('MalformedPolicy', message);

/** @throws S3Error MalformedPolicy for what is no policy of this bucket, or not supported */
export function parsePolicy(text: string, bucket: string): readonly Statement[] {
  if (Buffer.byteLength(text) > MOST_BYTES) throw malformed('A policy may have 20 KB.');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw malformed('Policies must be valid JSON.');
  }
  const policy = objectOf(json, 'The policy');
  requireOnly(policy, ['Version', 'Id', 'Statement'], 'the policy');
  if (policy.Version !== undefined && !['2012-10-17', '2008-10-17'].includes(String(policy.Version)))
    throw malformed('The policy must contain a valid version string.');
  const statements = Array.isArray(policy.Statement) ? policy.Statement : [policy.Statement];
  if (statements.length === 0 || policy.Statement === undefined) throw malformed('Missing required field Statement.');
  return statements.map((statement) => parseStatement(objectOf(statement, 'A statement'), bucket));
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed(`${what} must be an object.`);
  return value as Record<string, unknown>;
}

function requireOnly(object: Record<string, unknown>, names: readonly string[], what: string): void {
  const other = Object.keys(object).find((name) => !names.includes(name));
  if (other !== undefined) throw malformed(`${other.slice(0, 80)} is not supported in ${what}.`);
}

function texts(value: unknown, what: string): string[] {
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0 || !values.every((text): text is string => typeof text === 'string' && text !== ''))
    throw malformed(`${what} must be a text or a list of texts.`);
  return values;
}

function parseStatement(statement: Record<string, unknown>, bucket: string): Statement {
  requireOnly(
    statement,
    ['Sid', 'Effect', 'Principal', 'Action', 'NotAction', 'Resource', 'NotResource', 'Condition'],
    'a statement',
  );
  const { Effect, Principal, Action, NotAction, Resource, NotResource, Condition } = statement;
  if (Effect !== 'Allow' && Effect !== 'Deny') throw malformed('Effect must be Allow or Deny.');
  if ((Action === undefined) === (NotAction === undefined))
    throw malformed('A statement needs either Action or NotAction.');
  if ((Resource === undefined) === (NotResource === undefined))
    throw malformed('A statement needs either Resource or NotResource.');
  const actions = texts(Action ?? NotAction, 'Action');
  const resources = texts(Resource ?? NotResource, 'Resource');
  if (actions.some((action) => action !== '*' && !/^s3:[A-Za-z*?]+$/i.test(action)))
    throw malformed('Policy has an invalid action.');
  const own = `arn:aws:s3:::${bucket}`;
  if (Resource !== undefined && resources.some((name) => !mayBe(name, own)))
    throw malformed('Policy has an invalid resource.');
  return {
    effect: Effect,
    principals: parsePrincipals(Principal),
    actions: actions.map((action) => wildcard(action, 'i')),
    notActions: NotAction !== undefined,
    resources: resources.map((name) => wildcard(name)),
    notResources: NotResource !== undefined,
    conditions: parseConditions(Condition),
  };
}

/** Whether a resource of a policy can mean the bucket or something in it. */
function mayBe(resource: string, own: string): boolean {
  const [bucket = ''] = resource.split('/');
  return wildcard(bucket).test(own);
}

function parsePrincipals(value: unknown): Statement['principals'] {
  if (value === undefined) throw malformed('Missing required field Principal.');
  if (value === '*') return '*';
  const principal = objectOf(value, 'Principal');
  requireOnly(principal, ['AWS', 'CanonicalUser'], 'Principal');
  const names = Object.values(principal).flatMap((part) => texts(part, 'Principal'));
  return names.includes('*') ? '*' : names;
}

function parseConditions(value: unknown): Condition[] {
  if (value === undefined) return [];
  return Object.entries(objectOf(value, 'Condition')).flatMap(([name, body]) => {
    const ifExists = name.endsWith('IfExists');
    const operator = operators.find((known) => known === (ifExists ? name.slice(0, -8) : name));
    if (!operator) throw malformed(`The condition ${name.slice(0, 80)} is not supported.`);
    return Object.entries(objectOf(body, name)).map(([key, given]): Condition => {
      const lower = key.toLowerCase();
      if (!keys.some((known) => known.test(lower)))
        throw malformed(`The condition key ${key.slice(0, 80)} is not supported.`);
      const values = (Array.isArray(given) ? given : [given]).map((part) => {
        if (!['string', 'number', 'boolean'].includes(typeof part)) throw malformed(`${name}: values must be texts.`);
        return String(part);
      });
      // The name of a tag is compared as it is written.
      const [kind = '', ...tag] = key.split('/');
      return { operator, ifExists, key: [kind.toLowerCase(), ...tag].join('/'), values };
    });
  });
}

type Pattern = { test(text: string): boolean };

/** `*` any text, `?` any character. In linear steps for each star, whatever a tenant writes. */
function wildcard(pattern: string, flags = ''): Pattern {
  const fold = (text: string) => [...(flags === 'i' ? text.toLowerCase() : text)];
  const signs = fold(pattern);
  return { test: (text) => isLike(signs, fold(text)) };
}

function isLike(pattern: readonly string[], text: readonly string[]): boolean {
  let [p, t, star, from] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') [star, from, p] = [p, t, p + 1];
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) [p, t] = [p + 1, t + 1];
    else if (star >= 0) [from, t, p] = [from + 1, from + 1, star + 1];
    else return false;
  }
  return pattern.slice(p).every((sign) => sign === '*');
}

/** What a policy says to a wish: a `Deny` wins; undefined: nothing. */
export function decide(statements: readonly Statement[], wish: Wish): 'Allow' | 'Deny' | undefined {
  const applying = statements.filter((statement) => applies(statement, wish));
  if (applying.some(({ effect }) => effect === 'Deny')) return 'Deny';
  return applying.length > 0 ? 'Allow' : undefined;
}

function applies(statement: Statement, wish: Wish): boolean {
  const { principals } = statement;
  if (principals !== '*' && !wish.principals.some((name) => principals.includes(name))) return false;
  if (statement.actions.some((action) => action.test(wish.action)) === statement.notActions) return false;
  if (statement.resources.some((name) => name.test(wish.resource)) === statement.notResources) return false;
  return statement.conditions.every((condition) => holds(condition, wish.context.get(condition.key)));
}

const negated = (operator: Operator) => operator.includes('Not');

function holds({ operator, ifExists, values }: Condition, actual: string | undefined): boolean {
  if (operator === 'Null') return values.some((value) => (value.toLowerCase() === 'true') === (actual === undefined));
  if (actual === undefined) return ifExists || negated(operator);
  const one = values.some((value) => matches(operator, value, actual));
  return negated(operator) ? !one : one;
}

function matches(operator: Operator, value: string, actual: string): boolean {
  switch (operator) {
    case 'StringEquals':
    case 'StringNotEquals':
      return value === actual;
    case 'StringEqualsIgnoreCase':
    case 'StringNotEqualsIgnoreCase':
    case 'Bool':
      return value.toLowerCase() === actual.toLowerCase();
    case 'StringLike':
    case 'StringNotLike':
      return wildcard(value).test(actual);
    case 'IpAddress':
    case 'NotIpAddress':
      return isWithin(parseAddress(actual), value);
    case 'NumericEquals':
    case 'NumericNotEquals':
      return Number(actual) === Number(value);
    case 'NumericLessThan':
      return Number(actual) < Number(value);
    case 'NumericLessThanEquals':
      return Number(actual) <= Number(value);
    case 'NumericGreaterThan':
      return Number(actual) > Number(value);
    case 'NumericGreaterThanEquals':
      return Number(actual) >= Number(value);
    case 'Null':
      return false;
  }
}

const isWithin = (address: Address | undefined, range: string) => address !== undefined && within(address, [range]);
