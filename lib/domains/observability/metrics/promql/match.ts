import { RE2JS } from 're2js';
import type { Matcher } from './syntax';

export type Labels = Readonly<Record<string, string>>;

/** Whether a label's value matches; an absent label is empty. Regular expressions match whole values. @throws for an invalid one */
export function testOf({ op, value }: Matcher): (value: string) => boolean {
  if (op === '=') return (given) => given === value;
  if (op === '!=') return (given) => given !== value;
  const expression = RE2JS.compile(value);
  return op === '=~' ? (given) => expression.matches(given) : (given) => !expression.matches(given);
}

/** Whether labels match all of these. */
export function testOfAll(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map((matcher) => ({ label: matcher.label, test: testOf(matcher) }));
  return (labels) => tests.every(({ label, test }) => test(labels[label] ?? ''));
}
