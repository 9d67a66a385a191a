import { writeNumber } from '../answer';
import type { Expression, Matcher, Matching, Selector } from './syntax';

/**
 * A query as PromQL. Parsing the text gives an equal tree.
 * @param forced matchers that are added to every selector. All matchers of a selector must hold: none can undo another.
 */
export function printPromql(expression: Expression, forced: readonly Matcher[] = []): string {
  const print = (of: Expression) => printPromql(of, forced);
  switch (expression.kind) {
    case 'number':
      return writeNumber(expression.value);
    case 'string':
      return quote(expression.value);
    case 'negation':
      return `-(${print(expression.of)})`;
    case 'selector':
      return printSelector({ ...expression, matchers: [...expression.matchers, ...forced] });
    case 'binary': {
      const { op, bool, matching, left, right } = expression;
      return [`(${print(left)})`, op, ...(bool ? ['bool'] : []), ...printMatching(matching), `(${print(right)})`].join(
        ' ',
      );
    }
    case 'aggregation': {
      const { op, grouping, parameter, of } = expression;
      const args = parameter ? [parameter, of] : [of];
      return `${op} ${grouping.without ? 'without' : 'by'} ${list(grouping.labels)} ${list(args.map(print))}`;
    }
    case 'call':
      return `${expression.name}${list(expression.args.map(print))}`;
  }
}

function printSelector({ matchers, range_ms, offset_ms }: Selector): string {
  const range = range_ms === 0 ? '' : `[${range_ms}ms]`;
  const offset = offset_ms === 0 ? '' : ` offset ${offset_ms}ms`;
  return `${printMatchers(matchers)}${range}${offset}`;
}

/** Matchers as an instant selector. */
export const printMatchers = (matchers: readonly Matcher[]) =>
  `{${matchers.map(({ label, op, value }) => `${label}${op}${quote(value)}`).join(',')}}`;

/** The list after `group_left` is printed even if empty: a parenthesis on the right side would be read as the list. */
function printMatching({ on, labels, many, include }: Matching): string[] {
  if (!on && labels.length === 0 && many === null) return [];
  const group = many === null ? [] : [`group_${many} ${list(include)}`];
  return [`${on ? 'on' : 'ignoring'} ${list(labels)}`, ...group];
}

const list = (items: readonly string[]) => `(${items.join(', ')})`;

/** Go supports all escapes of JSON. */
const quote = (text: string) => JSON.stringify(text);
