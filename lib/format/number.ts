/** The one locale of numbers and dates, so that server and client render the same. */
export const LOCALE = 'en-US';

const plain = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 });

/** `1234.567` → `1,234.57`; counts lose their `.0`. */
export function formatNumber(value: number): string {
  return plain.format(value);
}

/** `0.805` → `81%`. Less than everything is never shown as 100%, and more than nothing never as 0%. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.005) return '<1%';
  if (share >= 0.995 && share < 1) return '99%';
  return percent.format(share);
}
