import type { JWTPayload } from 'jose';
import type { Conditions } from './schema';

/** The first claim whose condition the token does not meet; undefined when it meets all. */
export function unmetClaim(conditions: Conditions, claims: JWTPayload): string | undefined {
  return Object.entries(conditions).find(([name, patterns]) => {
    const values = Object.hasOwn(claims, name) ? textsOf(claims[name]) : [];
    return !values.some((value) => patterns.some((pattern) => matchesPattern(pattern, value)));
  })?.[0];
}

/** What a claim says: one text, or each of several (`groups`). Numbers and booleans as JSON writes them. */
function textsOf(claim: unknown): string[] {
  const values = Array.isArray(claim) ? claim : [claim];
  return values.flatMap((value) => {
    if (typeof value === 'string') return [value];
    return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
  });
}

/**
 * Whether a pattern covers all of a text; `*` stands for any text, also none. Walks back to the last `*` only, so that
 * no pattern takes longer than its length times the text's.
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
