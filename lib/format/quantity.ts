import { formatNumber } from './number';

const abbreviations = new Set(['GB', 'TB']);

/** A number with its unit, singular when it is one: `1, 'vCPUs'` → `1 vCPU`; abbreviations stay as they are. */
export function formatQuantity(value: number, unit: string): string {
  const one = value === 1 && unit.endsWith('s') && !abbreviations.has(unit);
  return `${formatNumber(value)} ${one ? unit.slice(0, -1) : unit}`;
}

/** `1, 'secret'` → `1 secret`; `3, 'policy', 'policies'` → `3 policies`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}
