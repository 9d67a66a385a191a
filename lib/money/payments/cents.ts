import { Decimal } from 'decimal.js';

/** An amount in USD as the processor's integer cents. @throws when it is not a whole number of cents */
export function toCents(usd: string): number {
  const cents = new Decimal(usd).times(100);
  if (!cents.isInteger() || cents.lte(0)) throw new Error(`${usd} USD cannot be charged`);
  return cents.toNumber();
}

/** `1050` → `10.50` */
export function fromCents(cents: Decimal.Value): string {
  return new Decimal(cents).dividedBy(100).toFixed(2);
}
