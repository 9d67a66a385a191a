import * as z from 'zod/mini';
import { formatNumber } from '@/lib/format/number';

// Form validation from the API's own constraints (`fields` of an operation in lib/client/operations). Saves a round
// trip; the API validates again.

interface TextRule {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/**
 * Trimmed text that the API accepts.
 * @param missing the message for an empty text
 * @param malformed the message for a text that does not match
 */
export function text(rule: TextRule, missing = 'Required.', malformed = 'Contains characters that are not allowed.') {
  return z.string().check(z.trim(), ...checksOf(rule, missing, malformed));
}

/** Text that is sent exactly as typed, such as a password. */
export function exactText(rule: TextRule, missing = 'Required.') {
  return z.string().check(...checksOf(rule, missing, 'Contains characters that are not allowed.'));
}

function checksOf({ minLength = 0, maxLength, pattern }: TextRule, missing: string, malformed: string) {
  return [
    z.minLength(minLength, minLength === 1 ? missing : `At least ${minLength} characters.`),
    ...(maxLength === undefined ? [] : [z.maxLength(maxLength, `Up to ${formatNumber(maxLength)} characters.`)]),
    ...(pattern === undefined ? [] : [z.regex(new RegExp(pattern, 'u'), malformed)]),
  ] as const;
}

/** A whole number within the API's limits, as typed text. */
export function wholeNumber({ minimum, maximum }: { minimum: number; maximum: number }, unit: string) {
  return z.string().check(
    z.trim(),
    z.regex(/^\d+$/, `A whole number of ${unit}.`),
    z.refine((typed) => Number(typed) >= minimum, `At least ${formatNumber(minimum)} ${unit}.`),
    z.refine((typed) => Number(typed) <= maximum, `Up to ${formatNumber(maximum)} ${unit}.`),
  );
}

/** Multiple choices, up to the API's maximum. */
export function severalOf({ maxItems }: { maxItems: number }, nouns: string) {
  return z.array(z.string()).check(z.maxLength(maxItems, `Up to ${maxItems} ${nouns}.`));
}
