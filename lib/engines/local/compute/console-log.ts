import { type FileHandle, open, stat } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import type { LogPage } from '@/lib/hosts/services/engine';
import { EngineError } from '../../error';
import { run } from '../exec';

const MOST_BYTES = 1024 ** 2;
const LARGEST_LOG_BYTES = 8 * 1024 ** 2;
const KEPT_BYTES = 2 * 1024 ** 2;
/** The unit of `stat`. */
const BLOCK_BYTES = 512;
const PAGE_BYTES = 256 * 1024;
const NEWLINE = 10;

/** The end of a console log: the last lines, and never more than a mebibyte. */
export async function lastLines(file: string, lines: number): Promise<{ output: string; truncated: boolean }> {
  const { text, whole } = await tail(file, MOST_BYTES);
  const all = text.split('\n');
  const wanted = lines + (text.endsWith('\n') ? 1 : 0);
  return { output: all.slice(-wanted).join('\n'), truncated: !whole || all.length > wanted };
}

/**
 * Frees the disk blocks of a log that a talkative guest has filled, except its end. The size and the place of every line stay
 * as they are, so cursors remain valid, and nothing that QEMU writes meanwhile is lost.
 */
export async function trimLog(
  file: string,
  free: (file: string, bytes: number) => Promise<void> = punch,
): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (!found || found.blocks * BLOCK_BYTES <= LARGEST_LOG_BYTES) return;
  await free(file, found.size - KEPT_BYTES).catch(() => rewrite(file));
}

/** Frees the first bytes of a file. @throws EngineError where its file system cannot */
async function punch(file: string, bytes: number): Promise<void> {
  await run(['fallocate', '--punch-hole', '--offset', '0', '--length', String(bytes), file]);
}

/**
 * The same for file systems without `fallocate`, such as NFS 3: empties the file, grows it to its size, which takes no blocks,
 * and writes its end again. Bytes that QEMU writes in between, some microseconds, are lost.
 */
async function rewrite(file: string): Promise<void> {
  const log = await open(file, 'r+');
  try {
    const { size } = await log.stat();
    const { buffer, bytesRead } = await log.read(Buffer.alloc(KEPT_BYTES), 0, KEPT_BYTES, size - KEPT_BYTES);
    await log.truncate(0);
    await log.truncate(size);
    await log.write(buffer, 0, bytesRead, size - KEPT_BYTES);
  } finally {
    await log.close();
  }
}

/** Lines of a console after a cursor, the byte where they begin. They have no times of their own: they get the current one. */
export async function readConsolePage(file: string, cursor: string | null, limit: number): Promise<LogPage> {
  if (cursor !== null && !/^\d{1,15}$/.test(cursor)) {
    throw new EngineError('INVALID', 'This is not a valid log cursor.');
  }
  const log = await open(file, 'r').catch(() => null);
  if (!log) return { lines: [], cursor: cursor ?? '0', dropped: 0 };
  try {
    const { size } = await log.stat();
    const asked = Number(cursor ?? 0);
    // The log of a machine that was rebuilt begins anew.
    const { offset, dropped } = await afterHole(log, asked > size ? 0 : asked, size);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, offset);
    const { texts, taken } = linesIn(buffer.subarray(0, bytesRead), limit);
    const at = new Date();
    const lines = texts.map((message) => ({ at, stream: 'console' as const, message }));
    return { lines, cursor: String(offset + taken), dropped };
  } finally {
    await log.close();
  }
}

/** Ends the last line of a log that nothing writes to any more: readers take whole lines only. */
export async function endLastLine(file: string): Promise<void> {
  const log = await open(file, 'r+').catch(() => null);
  if (!log) return;
  try {
    const { size } = await log.stat();
    if (size === 0) return;
    const { buffer } = await log.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] !== NEWLINE) await log.write('\n', size);
  } finally {
    await log.close();
  }
}

/** The first byte from `offset` on that was not freed, which is never within the last `KEPT_BYTES`. */
async function afterHole(log: FileHandle, offset: number, size: number): Promise<{ offset: number; dropped: number }> {
  const first = await log.read(Buffer.alloc(1), 0, 1, offset);
  if (first.bytesRead === 0 || first.buffer[0] !== 0 || size - offset <= KEPT_BYTES) return { offset, dropped: 0 };
  // What lies between the hole and the end that is surely kept is less than the largest log.
  const from = Math.max(offset, size - LARGEST_LOG_BYTES - KEPT_BYTES);
  const { buffer, bytesRead } = await log.read(Buffer.alloc(size - from), 0, size - from, from);
  const data = buffer.subarray(0, bytesRead).findIndex((byte) => byte !== 0);
  // A part of a line follows the hole.
  const end = buffer.indexOf(NEWLINE, Math.max(data, 0));
  return { offset: data < 0 || end < 0 ? size : from + end + 1, dropped: 1 };
}

/** Whole lines, without the control sequences of terminals; what is longer than a page is cut there. */
function linesIn(data: Buffer, limit: number): { texts: string[]; taken: number } {
  const texts: string[] = [];
  let taken = 0;
  while (texts.length < limit) {
    const end = data.indexOf(NEWLINE, taken);
    if (end < 0) break;
    texts.push(textOf(data.subarray(taken, end)));
    taken = end + 1;
  }
  if (taken === 0 && data.length === PAGE_BYTES) return { texts: [textOf(data)], taken: PAGE_BYTES };
  return { texts, taken };
}

const textOf = (line: Buffer) => stripVTControlCharacters(line.toString('utf8')).replace(/[\r\0]+/g, '');

/** How much is in a log; 0 when there is none. */
export async function logSize(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** What was written since the log had `from` bytes, as far as it is still there. */
export async function textSince(file: string, from: number): Promise<string> {
  const size = await logSize(file);
  return (await tail(file, Math.min(MOST_BYTES, size < from ? size : size - from))).text;
}

async function tail(file: string, bytes: number): Promise<{ text: string; whole: boolean }> {
  const log = await open(file, 'r').catch(() => null);
  if (!log) return { text: '', whole: true };
  try {
    const { size } = await log.stat();
    const length = Math.min(size, bytes);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(length), 0, length, size - length);
    return { text: buffer.toString('utf8', 0, bytesRead), whole: length === size };
  } finally {
    await log.close();
  }
}
