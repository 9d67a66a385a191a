/**
 * A time in ISO 8601, Unix seconds or Unix nanoseconds, as clients of Loki and Prometheus write it, in nanoseconds since 1970;
 * undefined for anything else.
 * @param secondsDigits whole numbers with more digits are nanoseconds
 */
export function parseMoment(text: string, secondsDigits: number): bigint | undefined {
  const [, number, decimals] = /^(\d{1,19})(?:\.(\d+))?$/.exec(text) ?? [];
  if (number !== undefined) {
    if (number.length <= secondsDigits) return BigInt(number) * 1_000_000_000n + fraction(decimals);
    return decimals === undefined ? BigInt(number) : undefined;
  }
  const [, second, part, zone] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const ms = Date.parse(`${second}${zone}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + fraction(part);
}

const fraction = (digits = '') => BigInt(digits.slice(0, 9).padEnd(9, '0'));
