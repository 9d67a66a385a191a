/** Text in JSON that jsonb can't hold: NUL and halves of surrogate pairs, which a function may well print. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** JSON for a parameter of the type jsonb. */
export function jsonbText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('\\u') ? text.replace(UNSTORABLE, '\\ufffd') : text;
}
