import { S3Error } from './errors';
import { type Elements, element, list, parseXml, text, type Xml } from './xml';

/** A lifecycle rule: which objects, and what happens to them after how long. */
export type LifecycleRule = {
  id: string;
  enabled: boolean;
  prefix: string;
  tags: Record<string, string>;
  larger?: number;
  smaller?: number;
  days?: number;
  /** ISO 8601, midnight UTC. */
  date?: string;
  /** Delete markers without older versions go. */
  markers?: boolean;
  noncurrentDays?: number;
  /** So many newer old versions stay. */
  noncurrentKept?: number;
  abortDays?: number;
};

const MOST_RULES = 1000;
/** Dates beyond this are none that PostgreSQL could compare. */
const MOST_DAYS = 100_000;
const malformed = (message?: string) => new S3Error('MalformedXML', message);

/** @throws S3Error MalformedXML, InvalidArgument, NotImplemented for transitions */
export function parseLifecycle(body: string): LifecycleRule[] {
  const rules = list(parseXml(body, 'LifecycleConfiguration')?.Rule);
  if (rules.length === 0 || rules.length > MOST_RULES) throw malformed();
  const parsed = rules.map((rule, index) => parseRule(element(rule) ?? {}, index));
  if (new Set(parsed.map(({ id }) => id)).size < parsed.length)
    throw new S3Error('InvalidArgument', 'Rule ID must be unique.');
  return parsed;
}

function parseRule(rule: Xml, index: number): LifecycleRule {
  if (rule.Transition !== undefined || rule.NoncurrentVersionTransition !== undefined)
    throw new S3Error('NotImplemented', 'There is only one storage class.');
  const status = text(rule.Status);
  if (status !== 'Enabled' && status !== 'Disabled') throw malformed();
  const id = text(rule.ID) ?? `rule-${index + 1}`;
  if (id.length > 255) throw new S3Error('InvalidArgument', 'ID length should not exceed allowed limit of 255');
  const done = {
    ...parseExpiration(element(rule.Expiration)),
    ...parseNoncurrent(element(rule.NoncurrentVersionExpiration)),
    ...parseAbort(element(rule.AbortIncompleteMultipartUpload)),
  };
  if (Object.keys(done).length === 0) throw malformed('A rule needs at least one action.');
  return { id, enabled: status === 'Enabled', ...parseFilter(rule), ...done };
}

function days(value: string | undefined, least = 1, most = MOST_DAYS): number {
  if (value === undefined || !/^\d{1,15}$/.test(value.trim())) throw malformed();
  const number = Number(value);
  if (number < least) throw new S3Error('InvalidArgument', "'Days' for the action must be a positive integer");
  if (number > most) throw new S3Error('InvalidArgument', `A number of a rule may be ${most} at most.`);
  return number;
}

function parseExpiration(part: Xml | undefined): Partial<LifecycleRule> {
  if (!part) return {};
  const given = [part.Days, part.Date, part.ExpiredObjectDeleteMarker].filter((value) => value !== undefined);
  if (given.length !== 1) throw malformed();
  if (part.Days !== undefined) return { days: days(text(part.Days)) };
  if (part.ExpiredObjectDeleteMarker !== undefined) return { markers: text(part.ExpiredObjectDeleteMarker) === 'true' };
  const at = new Date(text(part.Date) ?? '');
  if (Number.isNaN(at.getTime())) throw malformed();
  if (at.getTime() % 86_400_000 !== 0) throw new S3Error('InvalidArgument', "'Date' must be at midnight GMT");
  return { date: at.toISOString() };
}

function parseNoncurrent(part: Xml | undefined): Partial<LifecycleRule> {
  if (!part) return {};
  const kept = text(part.NewerNoncurrentVersions);
  return {
    noncurrentDays: days(text(part.NoncurrentDays)),
    ...(kept === undefined ? {} : { noncurrentKept: days(kept) }),
  };
}

function parseAbort(part: Xml | undefined): Partial<LifecycleRule> {
  return part ? { abortDays: days(text(part.DaysAfterInitiation)) } : {};
}

function parseFilter(rule: Xml): Pick<LifecycleRule, 'prefix' | 'tags' | 'larger' | 'smaller'> {
  const filter = element(rule.Filter) ?? {};
  const parts = element(filter.And) ?? filter;
  const tags = list(parts.Tag).map((tag) => [text(element(tag)?.Key) ?? '', text(element(tag)?.Value) ?? ''] as const);
  const [larger, smaller] = [text(parts.ObjectSizeGreaterThan), text(parts.ObjectSizeLessThan)];
  return {
    prefix: text(parts.Prefix) ?? text(rule.Prefix) ?? '',
    tags: Object.fromEntries(tags),
    ...(larger === undefined ? {} : { larger: days(larger, 0, Number.MAX_SAFE_INTEGER) }),
    ...(smaller === undefined ? {} : { smaller: days(smaller, 0, Number.MAX_SAFE_INTEGER) }),
  };
}

export function lifecycleElements(rules: readonly LifecycleRule[]): Elements {
  return {
    Rule: rules.map((rule) => ({
      ID: rule.id,
      Filter: filterElements(rule),
      Status: rule.enabled ? 'Enabled' : 'Disabled',
      Expiration:
        rule.days !== undefined
          ? { Days: rule.days }
          : rule.date !== undefined
            ? { Date: rule.date }
            : rule.markers !== undefined
              ? { ExpiredObjectDeleteMarker: rule.markers }
              : undefined,
      NoncurrentVersionExpiration:
        rule.noncurrentDays === undefined
          ? undefined
          : { NoncurrentDays: rule.noncurrentDays, NewerNoncurrentVersions: rule.noncurrentKept },
      AbortIncompleteMultipartUpload:
        rule.abortDays === undefined ? undefined : { DaysAfterInitiation: rule.abortDays },
    })),
  };
}

function filterElements({ prefix, tags, larger, smaller }: LifecycleRule): Elements {
  const Tag = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const parts = { ObjectSizeGreaterThan: larger, ObjectSizeLessThan: smaller };
  const count = Tag.length + [larger, smaller].filter((value) => value !== undefined).length;
  if (count === 0) return { Prefix: prefix };
  if (count === 1 && prefix === '') return { Tag, ...parts };
  return { And: { Prefix: prefix, Tag, ...parts } };
}
