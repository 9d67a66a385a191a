import { QueryError } from './syntax';

const unitsMs: Readonly<Record<string, number>> = {
  y: 365 * 86_400_000,
  w: 7 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

/** `1h30m`, or a number of seconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (/^(\d+(y|w|d|h|ms|m|s))+$/.test(text)) {
    return [...text.matchAll(/(\d+)(y|w|d|h|ms|m|s)/g)].reduce(
      (sum, [, count, unit = '']) => sum + Number(count) * (unitsMs[unit] ?? 0),
      0,
    );
  }
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.round(seconds * 1000);
}

/** A number as Go writes it: decimal, hexadecimal, octal with a leading 0, `Inf`, `NaN`; or a duration in seconds. */
export function parseNumber(text: string, at: number): number {
  const digits = text.replaceAll('_', '').toLowerCase();
  if (digits === 'inf') return Number.POSITIVE_INFINITY;
  if (digits === 'nan') return Number.NaN;
  if (/^0[0-7]+$/.test(digits)) return Number.parseInt(digits, 8);
  if (/^(0x[\da-f]+|\d*\.?\d+(e[+-]?\d+)?)$/.test(digits)) return Number(digits);
  const duration = parseDuration(text);
  if (duration === undefined) throw new QueryError(`bad number or duration syntax: ${JSON.stringify(text)}`, at);
  return duration / 1000;
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** What a quoted string stands for: backslash escapes as in Go, none between backticks. */
export function unquote(text: string, at: number): string {
  const quote = text.charAt(0);
  if (text.length < 2 || !text.endsWith(quote)) throw new QueryError('unterminated quoted string', at);
  const inner = text.slice(1, -1);
  if (quote === '`') return inner;
  if (inner.includes('\n')) throw new QueryError('a quoted string must not contain a line break', at);
  return inner.replace(
    /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|[\s\S]|$)/g,
    (whole: string, code: string) => {
      const simple = code === quote ? quote : escapes[code];
      if (simple !== undefined) return simple;
      const byte = code.length === 3 ? Number.parseInt(code.replace('x', ''), code.startsWith('x') ? 16 : 8) : -1;
      if (byte >= 0 && byte < 0x80) return String.fromCharCode(byte);
      const point = /^[uU]./.test(code) ? Number.parseInt(code.slice(1), 16) : -1;
      if (point < 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
        throw new QueryError(`invalid escape sequence ${whole} in a string`, at);
      }
      return String.fromCodePoint(point);
    },
  );
}
