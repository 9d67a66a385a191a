import { formatNumber } from './number';

const abbreviations = new Set(['GB', 'TB']);

/**
 * A number with its unit, as it stands in a sentence: `1, 'vCPUs'` → `1 vCPU`, `3, 'Volumes'` → `3 volumes`.
 * Abbreviations stay as they are.
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
