/** JSON as it was written: numbers keep their digits, and objects and arrays their text. */
export type Json =
  | { kind: 'text'; value: string }
  | { kind: 'object'; raw: string; members: [string, Json][] }
  | { kind: 'array'; raw: string; items: Json[] };

const MOST_DEPTH = 64;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;

/** Reads a text; undefined for what is not JSON. Null is an empty text. */
export function readJson(text: string): Json | undefined {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const skip = (character: string): boolean => {
    take(SPACE);
    if (text[at] !== character) return false;
    at += 1;
    take(SPACE);
    return true;
  };
  const string = (): string | undefined => {
    const found = take(STRING);
    if (found === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(found);
      return typeof value === 'string' ? value : undefined;
    } catch {
      return undefined;
    }
  };
  const word = (name: string, value: string): Json | undefined => {
    if (!text.startsWith(name, at)) return undefined;
    at += name.length;
    return { kind: 'text', value };
  };
  const value = (depth: number): Json | undefined => {
    if (depth > MOST_DEPTH) return undefined;
    const start = at;
    switch (text[at]) {
      case '"': {
        const found = string();
        return found === undefined ? undefined : { kind: 'text', value: found };
      }
      case '{': {
        const members = list('{', '}', () => member(depth));
        return members && { kind: 'object', raw: text.slice(start, at), members };
      }
      case '[': {
        const items = list('[', ']', () => value(depth + 1));
        return items && { kind: 'array', raw: text.slice(start, at), items };
      }
      case 't':
        return word('true', 'true');
      case 'f':
        return word('false', 'false');
      case 'n':
        return word('null', '');
      default: {
        const digits = take(NUMBER);
        return digits === undefined ? undefined : { kind: 'text', value: digits };
      }
    }
  };
  const member = (depth: number): [string, Json] | undefined => {
    const name = string();
    if (name === undefined || !skip(':')) return undefined;
    const read = value(depth + 1);
    return read && [name, read];
  };
  /** Ends right behind the closing bracket. */
  const list = <T>(open: string, close: string, item: () => T | undefined): T[] | undefined => {
    skip(open);
    const items: T[] = [];
    if (text[at] === close) {
      at += 1;
      return items;
    }
    for (;;) {
      const read = item();
      if (read === undefined) return undefined;
      items.push(read);
      take(SPACE);
      if (text[at] === close) {
        at += 1;
        return items;
      }
      if (!skip(',')) return undefined;
    }
  };
  take(SPACE);
  const read = value(0);
  take(SPACE);
  return at === text.length ? read : undefined;
}

/** The members of an object, nested ones with `_` between the names; arrays are left out. */
export function flatten(json: Json, prefix = ''): [string, string][] {
  if (json.kind !== 'object') return [];
  return json.members.flatMap(([name, member]): [string, string][] => {
    const path = prefix === '' ? name : `${prefix}_${name}`;
    if (member.kind === 'text') return [[path, member.value]];
    return flatten(member, path);
  });
}

/** What a path leads to, as text; empty for nothing. */
export function follow(json: Json, path: readonly (string | number)[]): string {
  let at: Json | undefined = json;
  for (const step of path) {
    if (at?.kind === 'array' && typeof step === 'number') at = at.items[step];
    else if (at?.kind === 'object') at = at.members.find(([name]) => name === String(step))?.[1];
    else at = undefined;
  }
  if (!at) return '';
  return at.kind === 'text' ? at.value : at.raw;
}
