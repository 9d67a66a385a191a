import { RE2JS, RE2JSException } from 're2js';

/** Longer patterns cost time with every line. */
const MOST_PATTERN = 2000;

/** A regular expression with the syntax and the linear time of RE2: no pattern can stall the process. */
export type Regex = {
  test(text: string): boolean;
  /** The named groups of the first match, in order; undefined without a match. */
  groups(text: string): [string, string][] | undefined;
  names: string[];
  /** The first match replaced by a template with `$1` and `${name}`; undefined unless all of the text matches. */
  replaceWhole(text: string, template: string): string | undefined;
};

/** Thrown for a pattern that RE2 does not know. */
export class BadPattern extends Error {
  override name = 'BadPattern';
}

/** @param anchored all of a text must match, as in matchers of labels. @throws BadPattern */
export function regexOf(pattern: string, anchored: boolean): Regex {
  if (pattern.length > MOST_PATTERN) throw new BadPattern(`a pattern has at most ${MOST_PATTERN} characters`);
  const bare = compile(pattern);
  // Compiled by itself before, so that a stray parenthesis cannot leave the anchors out.
  const compiled = anchored ? compile(`^(?s:${pattern})$`) : bare;
  const numbers = Object.entries(compiled.namedGroups()).toSorted(([, one], [, other]) => one - other);
  return {
    names: numbers.map(([name]) => name),
    test: (text) => compiled.test(text),
    groups(text) {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return undefined;
      return numbers.map(([name, number]) => [name, matcher.group(number) ?? '']);
    },
    replaceWhole(text, template) {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return undefined;
      return template.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (whole, plain?: string, braced?: string) => {
        if (whole === '$$') return '$';
        const name = plain ?? braced ?? '';
        const number = /^\d+$/.test(name) ? Number(name) : numbers.find(([known]) => known === name)?.[1];
        return number === undefined || number > compiled.groupCount() ? '' : (matcher.group(number) ?? '');
      });
    },
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) throw new BadPattern(error.message, { cause: error });
    throw error;
  }
}
