/**
 * Exact decimals for prices on pages, as integers of 10⁻¹⁶ USD: prices have ten decimals, quantities six. The API uses
 * decimal.js, which is larger than all pricing code of a page; a test compares the two.
 */
export type Fixed = bigint;

const PLACES = 16;

/** Parses exact decimal text, or a JSON number of the API, which has at most six decimals and so keeps all of them. */
export function fixed(amount: string | number, places = PLACES): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount));
  if (!match) throw new Error(`not a decimal: ${amount}`);
  const [, sign = '', whole = '', part = ''] = match;
  if (part.length > places) throw new Error(`more than ${places} decimals: ${amount}`);
  const digits = BigInt(whole + part.padEnd(places, '0'));
  return sign ? -digits : digits;
}

/** `amount ÷ by` as exact decimal text with this many places, rounded half to even. */
export function quotient(amount: Fixed, by: bigint, places = 6): string {
  const unit = by * 10n ** BigInt(PLACES - places);
  const rounded = divideHalfEven(amount, unit);
  const digits = (rounded < 0n ? -rounded : rounded).toString().padStart(places + 1, '0');
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
  return rounded < 0n ? `-${text}` : text;
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const sign = dividend < 0n ? -1n : 1n;
  const positive = dividend * sign;
  const whole = positive / divisor;
  const twice = (positive % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && whole % 2n === 1n);
  return sign * (up ? whole + 1n : whole);
}

/** `dividend ÷ divisor`, rounded up; both must be positive. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
