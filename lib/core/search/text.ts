/** A search text, with all its possible readings. */
export type SearchText = {
  /** A name or part of one, in lower case. */
  text: string;
  /** The range of ids that begin with it. */
  ids?: { first: string; last: string };
  /** An address, the beginning of one, or a range, as a CIDR. */
  cidr?: string;
  /** A MAC address or the beginning of one. */
  mac?: string;
  /** A tag with its value: `env=production`. */
  tag?: string;
};

const SHORTEST_ID = 4;

export function readSearch(typed: string): SearchText {
  const exact = typed.trim();
  const text = exact.toLowerCase();
  const cidr = readCidr(text);
  return {
    text,
    ...idRange(text),
    ...(cidr === undefined ? {} : { cidr }),
    ...(/^([0-9a-f]{2}:){1,5}[0-9a-f]{0,2}$/.test(text) ? { mac: text } : {}),
    ...(exact.includes('=') ? { tag: exact } : {}),
  };
}

function idRange(text: string): Pick<SearchText, 'ids'> {
  const digits = text.replaceAll('-', '');
  // Only if its dashes are where an id has them: `web-1` and `ab-cd` are names.
  const isStart = /^[0-9a-f]+$/.test(digits) && dashed(digits).startsWith(text);
  if (!isStart || digits.length < SHORTEST_ID) return {};
  return { ids: { first: dashed(digits.padEnd(32, '0')), last: dashed(digits.padEnd(32, 'f')) } };
}

function dashed(digits: string): string {
  const parts = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)];
  return `${parts.filter((part) => part !== '').join('-')}${[8, 12, 16, 20].includes(digits.length) ? '-' : ''}`;
}

/** `10.1.2.3` → `10.1.2.3/32`, `10.1.` → `10.1.0.0/16`, `10.1.0.0/24` as it is. */
function readCidr(text: string): string | undefined {
  const [, address = '', , bits] = /^(\d{1,3}(\.\d{1,3}){1,3})\.?(?:\/(\d{1,2}))?$/.exec(text) ?? [];
  const parts = address === '' ? [] : address.split('.').map(Number);
  if (parts.length === 0 || parts.some((part) => part > 255) || Number(bits ?? 0) > 32) return undefined;
  if (bits !== undefined && parts.length < 4) return undefined;
  const whole = [...parts, 0, 0, 0].slice(0, 4).join('.');
  return `${whole}/${bits ?? parts.length * 8}`;
}
