import { LOCALE } from './number';

type Amount = number | string;

type Rounding = 'halfEven' | 'trunc';

// Rounded for display only: the API keeps the exact decimals (api.md, money). Half-even, as on an invoice.
function dollars(minimum: number, maximum: number, roundingMode: Rounding): Intl.NumberFormat {
  return new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: minimum,
    maximumFractionDigits: maximum,
    roundingMode,
  });
}

const cents = { halfEven: dollars(2, 2, 'halfEven'), trunc: dollars(2, 2, 'trunc') };
const exact = { halfEven: dollars(2, 6, 'halfEven'), trunc: dollars(2, 6, 'trunc') };

function asMoney(amount: Amount, rounding: Rounding): string {
  const value = Number(amount);
  return (value !== 0 && Math.abs(value) < 0.01 ? exact : cents)[rounding].format(value);
}

/** USD for display: cents, and below one cent as many of six decimals as needed to differ from zero. */
export function formatMoney(amount: Amount): string {
  return asMoney(amount, 'halfEven');
}

/** Like `formatMoney`, but rounded down, so that spend never appears higher than it is, such as equal to its budget. */
export function formatSpend(amount: Amount): string {
  return asMoney(amount, 'trunc');
}

/** A unit price, never rounded to cents: `$0.024`. */
export function formatPrice(amount: Amount): string {
  return exact.halfEven.format(Number(amount));
}

/** A unit price with its unit, never rounded to cents: `0.024`, `hour` → `$0.024 / hour`. */
export function formatRate(amount: Amount, per: string): string {
  return `${formatPrice(amount)} / ${per}`;
}
