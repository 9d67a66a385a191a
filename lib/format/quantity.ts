import { formatNumber } from './number';
import { formatGigabytes } from './size';

const abbreviations = new Set(['GB', 'TB']);

/**
 * A number with its unit for a sentence: `1, 'vCPUs'` → `1 vCPU`, `3, 'Volumes'` → `3 volumes`. Abbreviations stay
 * unchanged.
 */
export function formatQuantity(value: number, unit: string): string {
  const word = /^[A-Z][a-z]+$/.test(unit) ? unit.toLowerCase() : unit;
  const one = value === 1 && word.endsWith('s') && !abbreviations.has(word);
  return `${formatNumber(value)} ${one ? word.slice(0, -1) : word}`;
}

/** `1, 'secret'` → `1 secret`; `3, 'policy', 'policies'` → `3 policies`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

/** An amount of a rate's unit, which is singular: `2, 'instance'` → `2 instances`; `20, 'GB'` → `20 GB`. */
export function formatUnits(quantity: number, unit: string): string {
  return abbreviations.has(unit) ? formatQuantity(quantity, unit) : formatCount(quantity, unit);
}

/** An amount in the most readable unit: `0.5, 'TB'` → `512 GB`. Units other than sizes stay unchanged. */
export function formatAmount(value: number, unit: string): string {
  if (!abbreviations.has(unit) || value === 0) return formatQuantity(value, unit);
  return formatGigabytes(unit === 'TB' ? value * 1024 : value);
}

/** The first number of "3 of 10 VMs" or "3 GB of 5 TB". More than nothing is never shown as 0. */
export function formatPart(value: number, unit: string): string {
  return abbreviations.has(unit) && value !== 0 ? formatAmount(value, unit) : formatNumber(value);
}
