/** The pairs of a line in logfmt. `broken`: something in it is not logfmt and was left out. */
export function readLogfmt(line: string): { pairs: [string, string][]; broken: boolean } {
  const pairs: [string, string][] = [];
  let broken = false;
  const token = /([^\s="]+)(?:(=)(?:("(?:[^"\\]|\\.)*"?)|([^\s]*)))?|(\S+)/gy;
  let at = 0;
  while (at < line.length) {
    if (line.charCodeAt(at) <= 32) {
      at += 1;
      continue;
    }
    token.lastIndex = at;
    const [whole = line[at] ?? '', key, equals, quoted, plain, other] = token.exec(line) ?? [];
    at += whole.length;
    const value = quoted === undefined ? (plain ?? '') : unquoted(quoted);
    const isValid = key !== undefined && other === undefined && value !== undefined && !/[="]/.test(plain ?? '');
    // A closing quote ends its pair.
    const runsOn = quoted !== undefined && at < line.length && line.charCodeAt(at) > 32;
    if (isValid && !runsOn) pairs.push([key, equals ? value : '']);
    else {
      broken = true;
      while (at < line.length && line.charCodeAt(at) > 32) at += 1;
    }
  }
  return { pairs, broken };
}

function unquoted(text: string): string | undefined {
  if (text.length < 2 || !text.endsWith('"')) return undefined;
  try {
    return String(JSON.parse(text.replaceAll('\t', '\\t')));
  } catch {
    return undefined;
  }
}
