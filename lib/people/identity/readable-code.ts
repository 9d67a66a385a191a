import { randomBytes } from 'node:crypto';

/** Crockford's base 32, without look-alikes. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A code of 80 random bits that a person can read out and type: `k7wp-3mzx-90ab-cdef`. */
export function newReadableCode(): string {
  const letters = [...randomBytes(16)].map((byte) => alphabet[byte % 32]).join('');
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}

/** Normalises a code typed by hand: o becomes 0, i and l become 1; case, spaces and dashes are ignored. */
export function lettersOf(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}
