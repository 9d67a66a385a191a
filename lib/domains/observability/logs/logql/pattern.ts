import type { PatternPart } from './ast';

/** Reads a pattern such as `<ip> - <_> "<method> <path>"`; a text says what is wrong with it. */
export function parsePattern(text: string): PatternPart[] | string {
  const parts: PatternPart[] = [];
  let from = 0;
  for (const found of text.matchAll(/<([A-Za-z_]\w*)>/g)) {
    if (found.index > from) parts.push({ literal: text.slice(from, found.index) });
    parts.push({ capture: found[1] ?? '_' });
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push({ literal: text.slice(from) });
  const names = parts.flatMap((part) => ('capture' in part && part.capture !== '_' ? [part.capture] : []));
  if (names.length === 0) return 'at least one capture is required in a pattern';
  if (new Set(names).size < names.length) return 'a capture appears twice in the pattern';
  const isNeighbour = (part: PatternPart, index: number) =>
    'capture' in part && index > 0 && 'capture' in (parts[index - 1] ?? {});
  return parts.some(isNeighbour) ? 'two captures of a pattern need a text between them' : parts;
}

/**
 * The captures of a line, as Loki finds them: each ends at the next appearance of the text that follows it. Where that text
 * is missing, the capture takes the rest of the line and is the last. Empty where the line does not begin as the pattern does.
 */
export function matchPattern(parts: readonly PatternPart[], line: string): [string, string][] {
  const captures: [string, string][] = [];
  const [first] = parts;
  let rest = line;
  let index = 0;
  if (first && 'literal' in first) {
    if (!line.startsWith(first.literal)) return [];
    rest = line.slice(first.literal.length);
    index = 1;
  }
  if (line === '') return [];
  for (; index < parts.length; index += 2) {
    const [part, next] = [parts[index], parts[index + 1]];
    if (!part || !('capture' in part)) break;
    const end = next && 'literal' in next ? rest.indexOf(next.literal) : -1;
    if (part.capture !== '_') captures.push([part.capture, end < 0 ? rest : rest.slice(0, end)]);
    if (end < 0 || !next || !('literal' in next)) break;
    rest = rest.slice(end + next.literal.length);
  }
  return captures;
}
