/**
 * Exact decimals of money for pages, as integers of 10⁻¹⁶ USD: prices have ten decimals, quantities six. The API computes
 * with decimal.js, which weighs more than a page's whole pricing does; a test compares the two.
 */
export type Fixed = bigint;

const PLACES = 16;

/** Of an exact decimal as text, or of a JSON number of the wire: at most six decimals, so that its text has them all. */
export function fixed(amount: string | number, places = PLACES): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount));
  if (!match) throw new Error(`not a decimal: ${amount}`);
  const [, sign = '', whole = '', part = ''] = match;
  if (part.length > places) throw new Error(`more than ${places} decimals: ${amount}`);
  const digits = BigInt(whole + part.padEnd(places, '0'));
  return sign ? -digits : digits;
}

/** `amount ÷ by`, half to even, as exact decimal text of so many places. */
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

/** `dividend ÷ divisor`, up to the next whole; both above zero. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
