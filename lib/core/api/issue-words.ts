import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  email: 'an e-mail address',
  url: 'a URL',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 CIDR such as 10.0.0.0/24',
  cidrv6: 'an IPv6 CIDR such as 2001:db8::/64',
  mac: 'a MAC address',
  date: 'a date such as 2026-01-31',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
};

/**
 * Describes a validation problem in words that follow the field's name: `name: is required`. The schema's own message
 * takes precedence. Submitted values are never repeated: they may be secret.
 */
export function issueWords(issue: Issue): string | undefined {
  const missing = issue.input === undefined;
  switch (issue.code) {
    case 'invalid_type':
      return missing ? 'is required' : `must be ${kinds[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return missing ? `is required: ${choice(issue.values)}` : `must be ${choice(issue.values)}`;
    case 'invalid_format': {
      const format = formats[issue.format];
      return format && `must be ${format}`;
    }
    case 'too_small':
      return `must ${bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return missing ? 'is required' : undefined;
    default:
      return undefined;
  }
}

function choice(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value));
  return words.length === 1 ? `${words[0]}` : `one of ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  const plural = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `have ${relation} ${limit} character${plural}`;
  if (origin === 'array' || origin === 'set') return `have ${relation} ${limit} element${plural}`;
  if (origin === 'object' || origin === 'record' || origin === 'map')
    return `have ${relation} ${limit} member${plural}`;
  return `be ${relation} ${limit}`;
}
