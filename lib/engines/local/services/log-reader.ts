import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogLine, LogPage } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import type { Host } from '../host';
import { namesIn } from '../record';
import { serviceDirectory } from './service-record';

const CHUNK_BYTES = 256 * 1024;
/** Nanoseconds since 1970 have so many digits, and so many of them are below a millisecond. */
const FEWEST_DIGITS = 10;
const MOST_DIGITS = 20;
const DIGITS_BELOW_MS = 6;
const [NEWLINE, BLANK, ZERO, NINE] = [10, 32, 48, 57];
const LOST = 'd'.charCodeAt(0);
const STREAMS: ReadonlyMap<number, LogLine['stream']> = new Map([
  ['o'.charCodeAt(0), 'stdout'],
  ['e'.charCodeAt(0), 'stderr'],
  ['s'.charCodeAt(0), 'engine'],
]);

/** Where reading goes on: a numbered file of the log, and a byte in it. */
type Place = { file: number; offset: number };

/** Lines of a service's log after a cursor. Files that were rotated away meanwhile count as one lost line each at least. */
export async function readLogPage(host: Host, id: string, cursor: string | null, limit: number): Promise<LogPage> {
  const folder = join(serviceDirectory(host, id), 'log');
  const files = (await namesIn(folder))
    .filter((name) => /^\d{8}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
  const [oldest] = files;
  const newest = files.at(-1);
  const asked = cursor === null ? null : placeOf(cursor);
  if (oldest === undefined || newest === undefined) return { lines: [], cursor: cursor ?? '1:0', dropped: 0 };
  let place = asked ?? { file: oldest, offset: 0 };
  const page: LogPage = { lines: [], cursor: '', dropped: 0 };
  // The log was removed and begun anew.
  if (place.file > newest) place = { file: oldest, offset: 0 };
  if (place.file < oldest) {
    page.dropped += oldest - place.file;
    place = { file: oldest, offset: 0 };
  }
  while (page.lines.length < limit) {
    const read = await readChunk(join(folder, String(place.file).padStart(8, '0')), place.offset);
    const taken = takeLines(read, limit - page.lines.length, page);
    place = { ...place, offset: place.offset + taken };
    if (taken > 0) continue;
    if (place.file >= newest) break;
    place = { file: place.file + 1, offset: 0 };
  }
  return { ...page, cursor: `${place.file}:${place.offset}` };
}

function placeOf(cursor: string): Place {
  const [, file, offset] = /^(\d{1,9}):(\d{1,12})$/.exec(cursor) ?? [];
  if (file === undefined || offset === undefined) throw new EngineError('INVALID', 'This is not a valid log cursor.');
  return { file: Number(file), offset: Number(offset) };
}

async function readChunk(file: string, offset: number): Promise<Buffer> {
  const handle = await open(file, 'r').catch(() => null);
  if (!handle) return Buffer.alloc(0);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** @returns how many bytes of whole lines were taken */
function takeLines(data: Buffer, limit: number, page: LogPage): number {
  let taken = 0;
  for (let count = 0; count < limit; ) {
    const end = data.indexOf(NEWLINE, taken);
    if (end < 0) break;
    const line = parseLine(data, taken, end);
    taken = end + 1;
    if (line === null) continue;
    if (typeof line === 'number') page.dropped += line;
    else {
      page.lines.push(line);
      count += 1;
    }
  }
  return taken;
}

/**
 * A line, a number of lost ones, or null for what a crash left half written and for the supervisor's own marks. Its head,
 * `<nanoseconds> <stream> `, is read byte by byte: a proxy writes tens of thousands of lines a second.
 */
function parseLine(data: Buffer, from: number, end: number): LogLine | number | null {
  let digits = 0;
  let ms = 0;
  const length = data.indexOf(BLANK, from) - from;
  if (length < FEWEST_DIGITS || length > MOST_DIGITS || from + length + 3 > end) return null;
  for (; digits < length; digits += 1) {
    const digit = data[from + digits] ?? 0;
    if (digit < ZERO || digit > NINE) return null;
    if (digits < length - DIGITS_BELOW_MS) ms = ms * 10 + digit - ZERO;
  }
  const mark = data[from + length + 1] ?? 0;
  if (data[from + length + 2] !== BLANK) return null;
  const message = data.toString('utf8', from + length + 3, end);
  if (mark === LOST) return Number.parseInt(message, 10) || 0;
  const stream = STREAMS.get(mark);
  return stream === undefined ? null : { at: new Date(ms), stream, message };
}
