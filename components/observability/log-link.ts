import type { TimeWindow } from '@/components/kit/charts/time-range';
import type { LogRecord } from './log-records';

/** A line in an address: `1772366461123456000-9f3c01ab`, its time in nanoseconds and a hash of its source and text. */
export function lineId({ time, key }: Pick<LogRecord, 'time' | 'key'>): string {
  return `${time}-${hash(key)}`;
}

export interface LinkedLine {
  id: string;
  /** Unix nanoseconds. */
  time: string;
}

/** The line that an address names, if it is inside the window. */
export function linkedLine(id: string | null, shown: TimeWindow): LinkedLine | undefined {
  const [, time] = /^(\d{1,19})-[0-9a-f]{8}$/.exec(id ?? '') ?? [];
  if (id === null || time === undefined) return undefined;
  const at = Number(time) / 1e6;
  return at >= shown.from && at < shown.to ? { id, time } : undefined;
}

/** The record of a linked line. */
export function findLinked(records: readonly LogRecord[], { id, time }: LinkedLine): LogRecord | undefined {
  return records.find((record) => record.time === time && lineId(record) === id);
}

/** FNV-1a over UTF-16 units: it tells lines of one moment apart and protects nothing. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let position = 0; position < text.length; position += 1) {
    value = Math.imul(value ^ text.charCodeAt(position), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}
