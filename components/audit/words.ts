/** Labels of results; their colors and icons are in components/kit/data/statuses.ts. */
export const resultOptions = [
  { value: 'succeeded', label: 'Succeeded' },
  { value: 'refused', label: 'Refused' },
  { value: 'failed', label: 'Failed' },
] as const;

const actorTypes = {
  user: 'user',
  token: 'API token',
  workload: 'workload',
  administrator: 'administrator',
  host: 'host command',
  anonymous: 'not signed in',
} as const;

/** Label of an actor's type. */
export function actorTypeLabel(type: keyof typeof actorTypes): string {
  return actorTypes[type];
}

const HOUR_MS = 3_600_000;

/** Options of the time filter. */
export const spans = [
  { value: 'hour', label: 'Last hour', ms: HOUR_MS },
  { value: 'day', label: 'Last 24 hours', ms: 24 * HOUR_MS },
  { value: 'week', label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  { value: 'month', label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
] as const;
