/** Microseconds. */
const durationUnits: Readonly<Record<string, number>> = {
  ns: 1e-3,
  us: 1,
  µs: 1,
  μs: 1,
  ms: 1e3,
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
  w: 7 * 86_400e6,
  y: 365 * 86_400e6,
};
const byteUnits: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  pb: 1e15,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  pib: 2 ** 50,
};

/** Microseconds of `1h30m` or `250ms`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, sign, units = ''] = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d|w|y))+)$/.exec(text) ?? [];
  if (sign === undefined) return text === '0' ? 0 : undefined;
  const parts = [...units.matchAll(/([\d.]+)([a-zµμ]+)/g)];
  const sum = parts.reduce((total, [, number, unit]) => total + Number(number) * (durationUnits[unit ?? ''] ?? 0), 0);
  return sign === '-' ? -sum : sum;
}

/** Bytes of `20MB`, `1.5 KiB` or `42`; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+\.?\d*|\.\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const scale = unit === '' ? 1 : byteUnits[unit.toLowerCase()];
  return number === undefined || scale === undefined ? undefined : Math.floor(Number(number) * scale);
}

/** A decimal number as Go reads it; undefined for anything else. */
export function parseNumber(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return /^nan$/i.test(text) ? Number.NaN : undefined;
}

/** A number without an exponent, as Loki and Prometheus write it. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const text = String(value);
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits.padEnd(point, '0')}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
