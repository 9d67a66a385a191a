import Anser from 'anser';

export interface LogSpan {
  text: string;
  className: string;
}

const ESC = String.fromCharCode(27);
const sgr = new RegExp(`${ESC}\\[([0-9;]*)m`, 'g');
/** Cursor movements, titles and character sets, which a log does not show. */
const otherSequences = new RegExp(
  `${ESC}(?:\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)|\\[[0-9;?]*[ -/]*[@-ln-~]|[()][0-9A-B]|[@-Z\\\\^_=>])`,
  'g',
);

/** The lines of a log. Of a line overwritten by carriage returns, the last text remains. */
export function logLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let open = '';
  return lines.map((raw) => {
    const kept = raw.replace(/\r+$/, '');
    const shown = kept.slice(kept.lastIndexOf('\r') + 1);
    if (open === '' && !shown.includes(ESC)) return shown;
    const line = open + shown.replaceAll(otherSequences, '');
    open = openColors(line);
    return line;
  });
}

/** The colours still active at the end of a line, for the next one. */
function openColors(line: string): string {
  let open: string[] = [];
  for (const [sequence, codes = ''] of line.matchAll(sgr)) {
    if (/^0*$/.test(codes)) open = [];
    else open.push(sequence);
  }
  return open.slice(-4).join('');
}

/** A line without its colour codes. */
export function plainLine(line: string): string {
  return line.includes(ESC) ? line.replaceAll(sgr, '') : line;
}

const colors: Record<string, string> = {
  'ansi-red': 'text-critical-ink',
  'ansi-bright-red': 'text-critical-ink',
  'ansi-green': 'text-positive-ink',
  'ansi-bright-green': 'text-positive-ink',
  'ansi-yellow': 'text-caution-ink',
  'ansi-bright-yellow': 'text-caution-ink',
  'ansi-blue': 'text-accent',
  'ansi-bright-blue': 'text-accent',
  'ansi-cyan': 'text-moving-ink',
  'ansi-bright-cyan': 'text-moving-ink',
  'ansi-magenta': 'text-accent',
  'ansi-bright-magenta': 'text-accent',
  'ansi-bright-black': 'text-ink-subtle',
};
const decorations: Record<string, string> = {
  bold: 'font-semibold',
  dim: 'text-ink-subtle',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'line-through',
};

/** Splits a line into spans of one style. Colours become our tokens, which are readable in both themes. */
export function logSpans(line: string): LogSpan[] {
  if (!line.includes(ESC)) return [{ text: line, className: '' }];
  return Anser.ansiToJson(line, { json: true, use_classes: true, remove_empty: true }).map((part) => ({
    text: part.content,
    className: [colors[part.fg] ?? '', ...part.decorations.map((name) => decorations[name] ?? '')]
      .filter(Boolean)
      .join(' '),
  }));
}

/** Positions of the lines that contain the words, ignoring case. */
export function findLines(plain: readonly string[], words: string): number[] {
  const wanted = words.toLowerCase();
  if (wanted === '') return [];
  const found: number[] = [];
  plain.forEach((line, position) => {
    if (line.toLowerCase().includes(wanted)) found.push(position);
  });
  return found;
}

/** Splits a text into parts, with matches of the words marked. */
export function markMatches(text: string, words: string): { text: string; match: boolean }[] {
  const wanted = words.toLowerCase();
  if (wanted === '') return [{ text, match: false }];
  const lower = text.toLowerCase();
  const parts: { text: string; match: boolean }[] = [];
  let from = 0;
  // Some letters change their length with their case; such a line is shown without marks.
  for (let at = lower.indexOf(wanted); at >= 0 && lower.length === text.length; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), match: false });
    from = at + wanted.length;
    parts.push({ text: text.slice(at, from), match: true });
  }
  if (from < text.length) parts.push({ text: text.slice(from), match: false });
  return parts;
}

/** The line of an address, `?line=120`, as a zero-based position; undefined if there is no such line. */
export function lineOf(value: string | null, count: number): number | undefined {
  const number = value !== null && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= count ? number - 1 : undefined;
}
