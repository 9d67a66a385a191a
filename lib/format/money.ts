import { LOCALE } from './number';

type Amount = number | string;

// Rounding is for reading only: the API keeps the exact decimals (api.md, money), half-even as on an invoice.
function dollars(minimum: number, maximum: number): Intl.NumberFormat {
  return new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: minimum,
    maximumFractionDigits: maximum,
    roundingMode: 'halfEven',
  });
}

const cents = dollars(2, 2);
const exact = dollars(2, 6);
const hourly = dollars(4, 4);

/** USD for people: cents, and for less than a cent as many of six decimals as it takes to not read as nothing. */
export function formatMoney(amount: Amount): string {
  const value = Number(amount);
  return value !== 0 && Math.abs(value) < 0.01 ? exact.format(value) : cents.format(value);
}

/** What one unit costs, never rounded to cents: `$0.024`. */
export function formatPrice(amount: Amount): string {
  return exact.format(Number(amount));
}

/** A unit price, never rounded to cents: `0.024`, `hour` → `$0.024 / hour`. */
export function formatRate(amount: Amount, per: string): string {
  return `${formatPrice(amount)} / ${per}`;
}

/** What an hour costs: `$0.0662`, and below a cent all six decimals. */
export function formatHourly(amount: Amount): string {
  const value = Number(amount);
  return (value > 0 && value < 0.01 ? exact : hourly).format(value);
}
