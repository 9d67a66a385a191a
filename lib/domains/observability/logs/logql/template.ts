import type { Labels } from '../labels';
import type { TemplateCall, TemplatePart } from './ast';

/** Thrown for a template that uses what is not supported; `at` is the place in it. */
export class BadTemplate extends Error {
  override name = 'BadTemplate';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** How many arguments a function takes before the value that it is given. */
const functions: Readonly<Record<string, { args: number; run: (value: string, args: readonly string[]) => string }>> = {
  lower: { args: 0, run: (value) => value.toLowerCase() },
  ToLower: { args: 0, run: (value) => value.toLowerCase() },
  upper: { args: 0, run: (value) => value.toUpperCase() },
  ToUpper: { args: 0, run: (value) => value.toUpperCase() },
  trim: { args: 0, run: (value) => value.trim() },
  TrimSpace: { args: 0, run: (value) => value.trim() },
  replace: { args: 2, run: (value, [from = '', to = '']) => value.replaceAll(from, () => to) },
  trunc: { args: 1, run: truncated },
  default: { args: 1, run: (value, [fallback = '']) => (value === '' ? fallback : value) },
  trimPrefix: {
    args: 1,
    run: (value, [prefix = '']) => (value.startsWith(prefix) ? value.slice(prefix.length) : value),
  },
  trimSuffix: {
    args: 1,
    run: (value, [suffix = '']) => (value.endsWith(suffix) ? value.slice(0, value.length - suffix.length) : value),
  },
};

/** The first characters, or, for a negative number, the last. */
function truncated(value: string, [size = '']: readonly string[]): string {
  const characters = [...value];
  const count = Number(size);
  if (count < 0) return characters.slice(Math.max(0, characters.length + count)).join('');
  return characters.slice(0, count).join('');
}

/** Reads the part of Go's templates that is supported: labels, and functions in a pipe. @throws BadTemplate */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', from)) {
    const close = text.indexOf('}}', open);
    if (close < 0) throw new BadTemplate('unclosed {{ in the template', open);
    if (open > from) parts.push({ literal: text.slice(from, open) });
    parts.push(parseAction(text.slice(open + 2, close), open));
    from = close + 2;
  }
  if (from < text.length) parts.push({ literal: text.slice(from) });
  return parts;
}

function parseAction(text: string, at: number): TemplatePart {
  const [first = '', ...rest] = text.split('|').map((part) => part.trim());
  const [, field, name, value] = /^(?:\.([A-Za-z_]\w*)|(__line__|__timestamp__)|(\w+(?:\s.*)?))$/s.exec(first) ?? [];
  const calls = rest.map((part) => parseCall(part, at));
  if (field !== undefined) return { field, calls };
  if (name === '__line__') return { field: '__line__', calls };
  // The value as the last argument of a function: `lower .name`.
  const [, call = '', last] = /^(.*?)\s+\.([A-Za-z_]\w*)$/s.exec(value ?? '') ?? [];
  if (last === undefined) throw new BadTemplate(`the template action {{${text}}} is not supported`, at);
  return { field: last, calls: [parseCall(call, at), ...calls] };
}

function parseCall(text: string, at: number): TemplateCall {
  const [name = '', ...words] = text.match(/"(?:[^"\\]|\\.)*"|`[^`]*`|[^\s"`]+/g) ?? [];
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const args = words.map((word) => argumentOf(word, at));
  if (!known) throw new BadTemplate(`the template function ${name || 'without a name'} is not supported`, at);
  if (args.length !== known.args || (name === 'trunc' && !/^-?\d+$/.test(args[0] ?? ''))) {
    throw new BadTemplate(`the template function ${name} is used with wrong arguments`, at);
  }
  return { name, args };
}

function argumentOf(word: string, at: number): string {
  if (word.startsWith('`')) return word.slice(1, -1);
  if (/^-?\d+$/.test(word)) return word;
  if (!word.startsWith('"')) throw new BadTemplate(`the template argument ${word} is not supported`, at);
  try {
    return String(JSON.parse(word));
  } catch {
    throw new BadTemplate(`the template argument ${word} is not a valid string`, at);
  }
}

/** The text of a template for a line. */
export function render(template: readonly TemplatePart[], line: string, labels: Labels): string {
  return template.map((part) => ('literal' in part ? part.literal : rendered(part, line, labels))).join('');
}

function rendered({ field, calls }: { field: string; calls: TemplateCall[] }, line: string, labels: Labels): string {
  const value = field === '__line__' ? line : (labels[field] ?? '');
  return calls.reduce((text, { name, args }) => functions[name]?.run(text, args) ?? text, value);
}
