import { Decimal } from 'decimal.js';
import { z } from 'zod';

/** An upper bound for all amounts, so that a JSON number holds all their digits. */
export const MOST_USD = 100_000_000;

/** An amount of money in a request: at most six decimals. Its shortest text is the decimal that was sent. */
export function usdInput(least: number) {
  return z
    .number()
    .min(least)
    .max(MOST_USD)
    .refine((value) => new Decimal(value).decimalPlaces() <= 6, 'must have at most six decimal places')
    .meta({ description: 'USD, at most six decimal places.' });
}

/** An amount of money in an answer. */
export const usd = z.number().meta({ description: 'USD, at most six decimal places.', example: 12.34 });
