export interface Pair {
  key: string;
  value: string;
}

/**
 * Pairs of a text with one on each line, `KEY=value`, as files of environments have them. Comments, `export` and quotes
 * around a value are left out; undefined if a line is no pair.
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

/** What is wrong with each pair; undefined where nothing is. Rows that are empty are not counted. */
export function pairProblems(pairs: readonly Pair[]): (string | undefined)[] {
  return pairs.map(({ key, value }, position) => {
    if (key.trim() === '') return value === '' ? undefined : 'Enter a key.';
    const first = pairs.findIndex((other) => other.key.trim() === key.trim());
    return first < position ? `${key.trim()} is already in row ${first + 1}.` : undefined;
  });
}

/** Pairs as the API takes them; rows without a key are left out. */
export function pairsToRecord(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value]));
}

/** Tags with one more, trimmed; the same list if there is nothing to add. */
export function withTag(tags: readonly string[], entered: string): readonly string[] {
  const added = entered
    .split(/[,\n]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '' && !tags.includes(tag));
  return added.length === 0 ? tags : [...tags, ...new Set(added)];
}
