import { formatNumber, LOCALE } from '@/lib/format/number';
import { formatBytes } from '@/lib/format/size';

/** How the values of a chart are written. */
export interface ValueFormat {
  format: (value: number) => string;
  /** Ticks at powers of two, for bytes. */
  binary: boolean;
}

const small = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 });

/** Small numbers keep three digits, so that none of them is 0. */
function formatValue(value: number): string {
  return value !== 0 && Math.abs(value) < 1 ? small.format(value) : formatNumber(value);
}

const plain: ValueFormat = { format: formatValue, binary: false };
const formats: Readonly<Record<string, ValueFormat>> = {
  bytes: { format: formatBytes, binary: true },
  bytes_per_second: { format: (value) => `${formatBytes(value)}/s`, binary: true },
  cores: { format: (value) => `${formatValue(value)} ${value === 1 ? 'core' : 'cores'}`, binary: false },
  seconds: { format: (value) => `${formatValue(value)} s`, binary: false },
  per_second: { format: (value) => `${formatValue(value)}/s`, binary: false },
  percent: { format: (value) => `${formatValue(value)}%`, binary: false },
};

/** How values of a unit are written; of an unknown unit, as numbers. */
export function formatOf(unit: string | undefined): ValueFormat {
  return formats[unit ?? ''] ?? plain;
}

export interface MetricInfo {
  name: string;
  type: string;
  unit: string;
  help: string;
}

/** The unit of a query in PromQL; undefined if it has several or none. */
export function unitOf(query: string, metrics: readonly MetricInfo[]): string | undefined {
  const words = new Set(query.match(/[A-Za-z_:][\w:]*/g) ?? []);
  const used = metrics.filter(({ name }) => words.has(name));
  const units = new Set(used.map(({ unit }) => unit));
  const [unit] = units;
  if (unit === undefined || units.size > 1 || /[*/^]|\bcount(_over_time)?\b/.test(query)) return undefined;
  if (!words.has('rate') && !words.has('irate')) return unit;
  if (unit === 'seconds') return used.every(({ name }) => name.includes('cpu')) ? 'cores' : undefined;
  return unit === 'bytes' ? 'bytes_per_second' : 'per_second';
}
