import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { engineOf } from '@/lib/engines/engines';
import { type BackupStore, unpacked } from './store';
import { tarHeader, tarPadding } from './tar';

/** The last file of an archive. */
const WHOLE = 'nephele.whole';
const SILENT_MS = 120_000;

/** What a recovering member asks for: its data, or more of the log. `null`: it does not listen. */
export type Wanted = 'data' | 'log' | null;

/**
 * Sends a member the part of a backup it asks for, through the member's own socket, and waits until it is there.
 * @param content by what is wanted: pieces, in tar's format unless `whole` says otherwise; nothing where there is nothing to send
 * @param whole the last piece: without it, the member knows that the rest is cut
 * @returns what was wanted
 * @throws Error when it was cut: the member begins anew, and so may the caller
 */
export async function sendTo(
  member: { cell: string; id: string },
  content: (wanted: 'data' | 'log') => AsyncIterable<Buffer> | undefined,
  whole = tarHeader(WHOLE, 0),
): Promise<Wanted> {
  const path = join(engineOf(member.cell).services.socketFolder(member.id), 'restore.sock');
  const socket = connect({ path, allowHalfOpen: true });
  socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('The member does not take the data of the backup.')));
  const lines = linesOf(socket);
  try {
    const first = await lines.next().catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') return null;
      throw error;
    });
    if (first === null) return null;
    const wanted = first.value === 'data' ? 'data' : 'log';
    const pieces = content(wanted);
    if (!pieces) return wanted;
    for await (const piece of pieces) await write(socket, piece);
    await write(socket, whole);
    socket.end();
    const last = await lines.next();
    if (last.value !== 'done') throw new Error('The member could not unpack the data of the backup.');
    return wanted;
  } finally {
    socket.destroy();
  }
}

async function* linesOf(socket: Socket): AsyncGenerator<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}

const write = (socket: Socket, piece: Buffer): Promise<void> =>
  new Promise((resolve, reject) => socket.write(piece, (error) => (error ? reject(error) : resolve())));

/** The base of a backup, and the histories of timelines that came later. */
export async function* baseAndHistories(
  store: BackupStore,
  baseKey: string,
  histories: readonly { name: string; key: string }[],
): AsyncGenerator<Buffer> {
  for await (const chunk of await unpacked(store, baseKey)) yield chunk;
  for (const { name, key } of histories) yield* fileOf(store, key, `pg_wal/${name}`);
}

/** Segments of the log, by their names. */
export async function* segmentsOf(
  store: BackupStore,
  prefix: string,
  names: readonly string[],
): AsyncGenerator<Buffer> {
  for (const name of names) yield* fileOf(store, `${prefix}${name}.gz`, name);
}

async function* fileOf(store: BackupStore, key: string, name: string): AsyncGenerator<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of await unpacked(store, key)) parts.push(chunk);
  const content = Buffer.concat(parts);
  yield tarHeader(name, content.length);
  yield content;
  yield tarPadding(content.length);
}
