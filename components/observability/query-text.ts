/** A matcher of a selector: `level="error"`. */
export interface Matcher {
  label: string;
  op: MatchOperator;
  value: string;
}

export type MatchOperator = '=' | '!=' | '=~' | '!~';

/** The first selector of a query in LogQL or PromQL, and the text around it. */
export interface Selection {
  before: string;
  matchers: readonly Matcher[];
  after: string;
}

const quotedText = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/;
const matcher = new RegExp(`\\s*([A-Za-z_]\\w*)\\s*(=~|!~|!=|=)\\s*(${quotedText.source})\\s*(?:,|(?=\\}))`, 'y');

/** Reads the first selector; undefined if there is none, or it is incomplete. */
export function readSelection(query: string): Selection | undefined {
  const start = outsideTexts(query).indexOf('{');
  if (start < 0) return undefined;
  const matchers: Matcher[] = [];
  matcher.lastIndex = start + 1;
  let end = matcher.lastIndex;
  for (let found = matcher.exec(query); found; found = matcher.exec(query)) {
    const [, label = '', op, value = ''] = found;
    if (isOperator(op)) matchers.push({ label, op, value: unquoted(value) });
    end = matcher.lastIndex;
  }
  const close = /^\s*\}/.exec(query.slice(end));
  if (!close) return undefined;
  return { before: query.slice(0, start), matchers, after: query.slice(end + close[0].length) };
}

export function writeSelection({ before, matchers, after }: Selection): string {
  return `${before}${writeMatchers(matchers)}${after}`;
}

/** `{level="error", service=~".+"}` */
export function writeMatchers(matchers: readonly Matcher[]): string {
  return `{${matchers.map(({ label, op, value }) => `${label}${op}${JSON.stringify(value)}`).join(', ')}}`;
}

/** The value that a label must have; undefined without `label="value"`. */
export function equalTo({ matchers }: Selection, label: string): string | undefined {
  return matchers.find((one) => one.label === label && one.op === '=')?.value;
}

/** The selection with other matchers for some labels; null for no matcher. */
export function withLabels(selection: Selection, labels: Readonly<Record<string, string | null>>): Selection {
  const kept = selection.matchers.filter(({ label, op }) => !(label in labels && (op === '=' || op === '=~')));
  const added = Object.entries(labels).flatMap(([label, value]): Matcher[] =>
    value === null ? [] : [{ label, op: '=', value }],
  );
  return { ...selection, matchers: [...kept, ...added] };
}

const textFilter = new RegExp(`^\\s*\\|=\\s*(${quotedText.source})`);

/** The text that lines must contain by the filter right after the selector. */
export function textOf({ after }: Selection): string {
  return unquoted(textFilter.exec(after)?.[1] ?? '""');
}

/** The selection with another text that lines must contain. */
export function withText(selection: Selection, text: string): Selection {
  const rest = selection.after.replace(textFilter, '');
  return { ...selection, after: text === '' ? rest : ` |= ${JSON.stringify(text)}${rest}` };
}

/** The selector alone, with everything else replaced by spaces, so that positions stay the same. */
function outsideTexts(query: string): string {
  return query.replaceAll(new RegExp(quotedText, 'g'), (text) => ' '.repeat(text.length));
}

function isOperator(text: string | undefined): text is MatchOperator {
  return text === '=' || text === '!=' || text === '=~' || text === '!~';
}

/** The value of a quoted text; of one with unknown escapes, its text as written. */
function unquoted(text: string): string {
  const inner = text.slice(1, -1);
  if (text.startsWith('`')) return inner;
  return inner.replaceAll(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Labels that select streams; others are read from lines by stages. */
const streamLabels = ['project', 'service', 'resource_id', 'resource_name', 'level', 'stream'];

/** A value to look for or to leave out; `stage` reads the field, if it is inside the line. */
export interface FieldFilter {
  name: string;
  value: string;
  op: '=' | '!=';
  stage?: 'json' | 'logfmt' | undefined;
}

/** The selection with one filter more. */
export function withFilter(selection: Selection, { name, value, op, stage }: FieldFilter): Selection {
  const { matchers, after } = selection;
  const reads = /\|\s*(json|logfmt|pattern|regexp)\b/.test(outsideTexts(after));
  if (streamLabels.includes(name) && stage === undefined) {
    if (op === '=') return withLabels(selection, { [name]: value });
    return { ...selection, matchers: [...matchers, { label: name, op, value }] };
  }
  const read = stage === undefined || reads ? '' : ` | ${stage}`;
  return { ...selection, after: `${after.trimEnd()}${read} | ${name}${op}${JSON.stringify(value)}` };
}
