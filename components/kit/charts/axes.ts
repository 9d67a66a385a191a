/**
 * Round tick values up to at least `most`: powers of two for bytes, otherwise multiples of 1, 2 and 5. Uses fewer ticks
 * if `format` would repeat a label.
 */
export function ticks(most: number, binary: boolean, format: (value: number) => string = String): number[] {
  for (const count of [4, 3, 2, 1]) {
    const values = roundNumbers(most, binary, count);
    if (new Set(values.map((value) => format(value))).size === values.length) return values;
  }
  return roundNumbers(most, binary, 1);
}

/** Round tick values from at most `lowest`, if that is negative, up to at least `most`. */
export function ticksBetween(
  lowest: number,
  most: number,
  binary: boolean,
  format: (value: number) => string = String,
): number[] {
  if (!(lowest < 0)) return ticks(most, binary, format);
  const [, step = 1] = ticks(Math.max(most, -lowest), binary, format);
  const below = Math.ceil(-lowest / step);
  const above = Math.max(0, Math.ceil(most / step));
  return Array.from({ length: below + above + 1 }, (_, position) => (position - below) * step);
}

function roundNumbers(most: number, binary: boolean, parts: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / parts;
  const step = binary ? 2 ** Math.ceil(Math.log2(rough)) : decimalStep(rough);
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, position) => position * step);
}

function decimalStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= rough * 0.999) ?? 10;
  return factor * power;
}

/** The width of an axis with these labels at 11 px. */
export function axisWidth(labels: readonly string[]): number {
  return 14 + 6.4 * Math.max(2, ...labels.map((label) => label.length));
}

const tick = { fill: 'var(--ink-subtle)', fontSize: 11 };

/** Style of the lower axis of all charts. */
export const lowerAxis = { tick, tickLine: false, axisLine: { stroke: 'var(--line)' } };

/** A left axis with exactly these tick values. */
export function leftAxis(values: number[], format: (value: number) => string) {
  return {
    domain: [0, values.at(-1) ?? 1],
    ticks: values,
    tickFormatter: format,
    width: axisWidth(values.map((value) => format(value))),
    tick,
    tickLine: false,
    axisLine: false,
  };
}

/** Grid lines at the values of the left axis. */
export const valueLines = { vertical: false, stroke: 'var(--line)' };

const utcDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A UTC day as an axis label: 21 Nov. */
export const formatUtcDay = (at: number) => utcDay.format(at);
