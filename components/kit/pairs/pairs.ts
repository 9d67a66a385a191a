export interface Pair {
  key: string;
  value: string;
}

/**
 * Parses one `KEY=value` per line, as in environment files. Drops comments, `export` and quotes around values;
 * undefined if a line is not a pair.
 */
export function parsePairs(text: string): Pair[] | undefined {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const pairs = lines.map((line) => {
    const [, key, value] = /^(?:export\s+)?([^\s=]+)\s*=\s*(.*)$/.exec(line) ?? [];
    return key === undefined || value === undefined ? undefined : { key, value: unquoted(value) };
  });
  const whole = pairs.filter((pair) => pair !== undefined);
  return whole.length === pairs.length && whole.length > 0 ? whole : undefined;
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}

/** The problem of each pair, or undefined. Empty rows are ignored. */
export function pairProblems(pairs: readonly Pair[]): (string | undefined)[] {
  return pairs.map(({ key, value }, position) => {
    if (key.trim() === '') return value === '' ? undefined : 'Enter a key.';
    const first = pairs.findIndex((other) => other.key.trim() === key.trim());
    return first < position ? `${key.trim()} is already in row ${first + 1}.` : undefined;
  });
}

/** Pairs in the API's form; rows without a key are left out. */
export function pairsToRecord(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value]));
}

/** Adds a trimmed tag; returns the same list if there is nothing to add. */
export function withTag(tags: readonly string[], entered: string): readonly string[] {
  const added = entered
    .split(/[,\n]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '' && !tags.includes(tag));
  return added.length === 0 ? tags : [...tags, ...new Set(added)];
}
