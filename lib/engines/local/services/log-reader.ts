import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogLine, LogPage } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import type { Host } from '../host';
import { namesIn } from '../record';
import { serviceDirectory } from './service-record';

const CHUNK_BYTES = 256 * 1024;
/** Nanoseconds since 1970, and the stream. */
const HEAD = /^(\d{10,20}) ([oesd]) /;
const DIGITS_BELOW_MS = 6;
const STREAMS = { o: 'stdout', e: 'stderr', s: 'engine' } as const;

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
    const buffer = Buffer.alloc(CHUNK_BYTES);
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
    const end = data.indexOf(10, taken);
    if (end < 0) break;
    const line = parseLine(data.toString('utf8', taken, end));
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

/** A line, a number of lost ones, or null for what a crash left half written. */
function parseLine(text: string): LogLine | number | null {
  const [head, nanoseconds, mark] = HEAD.exec(text) ?? [];
  if (head === undefined || nanoseconds === undefined || mark === undefined) return null;
  const message = text.slice(head.length);
  if (mark === 'd') return Number.parseInt(message, 10) || 0;
  const stream = mark === 'o' || mark === 'e' || mark === 's' ? STREAMS[mark] : 'engine';
  return { at: new Date(Number(nanoseconds.slice(0, -DIGITS_BELOW_MS))), stream, message };
}
