import type { Bucket } from './types';

export type LifecycleRule = Bucket['lifecycle'][number];

/** A rule as fields of a form. */
export type LifecycleValues = {
  id: string;
  enabled: boolean;
  prefix: string;
  days: string;
  noncurrentDays: string;
  noncurrentKept: string;
  abortDays: string;
  markers: boolean;
  /** Parts that only S3 clients and the API set, in JSON; empty: none. They stay. */
  kept: string;
};

const asText = (value: number | undefined) => String(value ?? '');

export function valuesOf(rule: LifecycleRule): LifecycleValues {
  const { id, enabled, prefix, days, noncurrentDays, noncurrentKept, abortDays, markers, ...others } = rule;
  const isMore = Object.keys(others.tags).length > 0 || Object.keys(others).length > 1;
  return {
    id,
    enabled,
    prefix,
    days: asText(days),
    noncurrentDays: asText(noncurrentDays),
    noncurrentKept: asText(noncurrentKept),
    abortDays: asText(abortDays),
    markers: markers ?? false,
    kept: isMore ? JSON.stringify(others) : '',
  };
}

export function ruleOf(values: LifecycleValues): LifecycleRule {
  const { id, enabled, prefix, markers, kept, ...numbers } = values;
  const given = Object.entries(numbers).flatMap(([name, text]) => (text === '' ? [] : [[name, Number(text)]]));
  return {
    id,
    enabled,
    prefix,
    tags: {},
    ...(kept === '' ? {} : JSON.parse(kept)),
    ...Object.fromEntries(given),
    ...(markers ? { markers } : {}),
  };
}

/** What else limits a rule, in words; empty: nothing. */
export function limitsOf({ kept }: Pick<LifecycleValues, 'kept'>): string {
  if (kept === '') return '';
  const { tags, larger, smaller, date }: Omit<Partial<LifecycleRule>, 'id'> = JSON.parse(kept);
  const parts = [
    Object.keys(tags ?? {}).length > 0 &&
      `tags ${Object.entries(tags ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(', ')}`,
    larger !== undefined && `larger than ${larger} bytes`,
    smaller !== undefined && `smaller than ${smaller} bytes`,
    date !== undefined && `from ${date.slice(0, 10)}`,
  ].filter((part) => part !== false);
  return `Set with the API: ${parts.join('; ')}.`;
}

export const newRule = (position: number): LifecycleValues => ({
  id: `rule-${position + 1}`,
  enabled: true,
  prefix: '',
  days: '',
  noncurrentDays: '',
  noncurrentKept: '',
  abortDays: '',
  markers: false,
  kept: '',
});
