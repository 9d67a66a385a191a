import type { LogRecord } from './log-records';

/** One line of a log per line, with its time and level. */
export function linesAsText(records: readonly LogRecord[]): string {
  return records
    .map(({ at, labels, line }) => `${new Date(at).toISOString()} ${labels.level ?? '-'} ${line}\n`)
    .join('');
}

/** An array of lines with their labels and times in nanoseconds. */
export function linesAsJson(records: readonly LogRecord[]): string {
  return `${JSON.stringify(
    records.map(({ time, labels, line }) => ({ time, labels, line })),
    null,
    2,
  )}\n`;
}
