import type { JWTPayload } from 'jose';
import type { Conditions } from './schema';

/** The first claim that fails its condition; undefined if the token meets all conditions. */
export function unmetClaim(conditions: Conditions, claims: JWTPayload): string | undefined {
  return Object.entries(conditions).find(([name, patterns]) => {
    const values = Object.hasOwn(claims, name) ? textsOf(claims[name]) : [];
    return !values.some((value) => patterns.some((pattern) => matchesPattern(pattern, value)));
  })?.[0];
}

/** The values of a claim: a text, or each entry of an array (`groups`). Numbers and booleans as in JSON. */
function textsOf(claim: unknown): string[] {
  const values = Array.isArray(claim) ? claim : [claim];
  return values.flatMap((value) => {
    if (typeof value === 'string') return [value];
    return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
  });
}

/**
 * Whether a pattern matches the whole text; `*` matches any text, including none. Backtracks only to the last `*`, so
 * the time is bounded by pattern length × text length.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p;
      resume = t;
      p += 1;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      resume += 1;
      p = star + 1;
      t = resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
