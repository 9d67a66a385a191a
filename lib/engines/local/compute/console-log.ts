import { open, stat } from 'node:fs/promises';

const MOST_BYTES = 1024 ** 2;
const LARGEST_LOG_BYTES = 8 * 1024 ** 2;
const KEPT_BYTES = 2 * 1024 ** 2;

/** The end of a console log: the last lines, and never more than a mebibyte. */
export async function lastLines(file: string, lines: number): Promise<{ output: string; truncated: boolean }> {
  const { text, whole } = await tail(file, MOST_BYTES);
  const all = text.split('\n');
  const wanted = lines + (text.endsWith('\n') ? 1 : 0);
  return { output: all.slice(-wanted).join('\n'), truncated: !whole || all.length > wanted };
}

/**
 * Cuts a log that a talkative guest has filled down to its end. QEMU appends, so it goes on writing after the cut; what
 * it writes during the cut itself may be lost.
 */
export async function trimLog(file: string): Promise<void> {
  const log = await open(file, 'r+').catch(() => null);
  if (!log) return;
  try {
    if ((await log.stat()).size <= LARGEST_LOG_BYTES) return;
    const { text } = await tail(file, KEPT_BYTES);
    await log.truncate(0);
    await log.appendFile(text);
  } finally {
    await log.close();
  }
}

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
