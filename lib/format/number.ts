/** The interface speaks one language, so numbers and dates are written in one locale on server and client alike. */
export const LOCALE = 'en-US';

const plain = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 });

/** `1234.567` → `1,234.57`; counts lose their `.0`. */
export function formatNumber(value: number): string {
  return plain.format(value);
}

/** `0.805` → `81%`. What is not quite everything never reads as 100%, and what is not nothing never as 0%. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.005) return '<1%';
  if (share >= 0.995 && share < 1) return '99%';
  return percent.format(share);
}
