import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { engineOf } from '@/lib/engines/engines';
import type { ServiceFile } from '@/lib/hosts/services/engine';
import type { Place, Reading, Source } from './engine';
import { sendTo } from './send';
import { baseKey, storeOf, unpacked } from './store';

/*
 * How members of MariaDB, Valkey and Qdrant give and take data: in frames of four bytes that say how many follow. A frame of
 * none says that all was sent. The other side is `box/frames.py`.
 */

const HEAD = 4;
const END = Buffer.alloc(HEAD);
const SILENT_MS = 120_000;
/** Where a check says what it has read, and how that begins when it cannot be read. */
export const CHECKED = 'checked.sock';
const DAMAGED = 'damaged: ';

/** The other side, as a file of a member's sandbox. */
export const framesFile: ServiceFile = {
  path: 'frames.py',
  content: readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'box/frames.py'), 'utf8'),
  secret: false,
  live: true,
};

/** Bytes in frames; without the last one. */
export async function* framed(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    const head = Buffer.alloc(HEAD);
    head.writeUInt32BE(chunk.length);
    if (chunk.length > 0) yield Buffer.concat([head, chunk]);
  }
}

/** What frames hold, to the last one. @throws Error when the frames end without it */
export async function* unframed(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  let left = 0;
  for await (const chunk of frames) {
    let rest = chunk;
    while (rest.length > 0) {
      if (left === 0) {
        const taken = rest.subarray(0, HEAD - head.length);
        head = Buffer.concat([head, taken]);
        rest = rest.subarray(taken.length);
        if (head.length < HEAD) break;
        left = head.readUInt32BE();
        head = Buffer.alloc(0);
        if (left === 0) return;
      }
      const content = rest.subarray(0, left);
      left -= content.length;
      rest = rest.subarray(content.length);
      if (content.length > 0) yield content;
    }
  }
  throw new Error('The member did not send all of its data.');
}

/** Reads the data of a member, which it sends to whoever connects to `backup.sock`. */
export async function readFramed({ cell, id }: Place): Promise<Reading> {
  const socket = connect(join(engineOf(cell).services.socketFolder(id), 'backup.sock'));
  socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('The member does not send its data.')));
  const stream = Readable.from(unframed(socket), { objectMode: false });
  const done = new Promise<{ start_segment: null }>((resolve, reject) => {
    stream.on('end', () => resolve({ start_segment: null }));
    stream.on('error', reject);
  });
  return { stream, done, end: async () => void socket.destroy() };
}

async function* dataOf({ source_id, backup_id }: Source): AsyncGenerator<Buffer> {
  yield* framed(await unpacked(storeOf(source_id), baseKey(backup_id)));
}

/** Sends a backup to a member that waits at `restore.sock`. */
export async function sendFramed(place: Place, source: Source): Promise<void> {
  await sendTo(place, () => dataOf(source), END);
}

/**
 * What a service that restored a backup as a check says at `CHECKED`: one line, once it has read everything.
 * @returns null while it does not listen @throws Error for data that could not be read
 */
export async function checkedBy(place: Place): Promise<string | null> {
  const said = await saidBy(place);
  if (said?.startsWith(DAMAGED)) throw new Error(`The backup cannot be read: ${said.slice(DAMAGED.length)}`);
  return said;
}

function saidBy({ cell, id }: Place): Promise<string | null> {
  const socket = connect(join(engineOf(cell).services.socketFolder(id), CHECKED));
  return new Promise((resolve) => {
    let text = '';
    socket.setTimeout(SILENT_MS, () => socket.destroy());
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text.endsWith('\n') ? text.trim().slice(0, 200) : null));
  });
}
