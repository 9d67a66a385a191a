import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { v4 } from 'uuid';
import { now } from '@/lib/clock';
import { settings } from '@/lib/settings';
import { type ChecksumAlgorithm, type Summing, summing } from './checksums';

/** Contents up to this size are stored in the database. */
export const INLINE_BYTES = 4096;
const GB = 1024 ** 3;
/** Interval between checks for free disk space. */
const LOOK_BYTES = 256 * 1024 ** 2;

/** A file of object storage. Its name says nothing of the object, so no key is ever a path. */
export type Blob = { id: string; size: number };
/** A file that is on the disk for good, but that no row knows yet. */
export type StoredBlob = Blob & { md5: string };

/** What arrived of a body: small contents in memory, others as a file. */
export type Received = {
  size: number;
  /** Hex. */
  md5: string;
  /** Hex, if asked for. */
  sha256: string | undefined;
  /** Base64, if asked for. */
  checksum: string | undefined;
} & ({ content: Buffer; blob?: undefined } | { blob: StoredBlob; content?: undefined });

/** The host's disk has no room for the bytes. */
export class DiskFull extends Error {
  override name = 'DiskFull';
}

export const objectsFolder = () => join(settings().dataDir, 'objects');
const draftsFolder = () => join(objectsFolder(), 'tmp');
const folderOf = (id: string) => join(objectsFolder(), id.slice(0, 2));
const pathOf = (id: string) => join(folderOf(id), id);

/** Prepares the folders; removes what writers of an earlier process have left. One process at a time stores objects. */
export async function prepareFolders(): Promise<void> {
  await rm(draftsFolder(), { recursive: true, force: true });
  await mkdir(draftsFolder(), { recursive: true, mode: 0o700 });
  const names = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  await Promise.all(names.map((name) => mkdir(join(objectsFolder(), name), { recursive: true, mode: 0o700 })));
  await syncFolder(objectsFolder());
}

/** @throws DiskFull when so many bytes would leave less than the operator's floor */
export async function requireDisk(bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(objectsFolder());
  if (bavail * bsize - bytes < settings().diskFloorGb * GB) throw new DiskFull('The disk is full.');
}

type Wanted = {
  /** Also the SHA-256 of the body, which the client has signed. */
  sha256?: boolean;
  checksum?: ChecksumAlgorithm | undefined;
  /** Always a file. */
  file?: boolean;
};

/**
 * Takes a body to its end and hashes it on the way. A file is on the disk for good when this settles; what fails leaves none.
 * @throws DiskFull, and what the body throws
 */
export async function receive(body: AsyncIterable<Uint8Array>, wanted: Wanted): Promise<Received> {
  const md5 = createHash('md5');
  const sha256 = wanted.sha256 ? createHash('sha256') : undefined;
  const sum: Summing | undefined = wanted.checksum && summing(wanted.checksum);
  const draft = new Draft();
  let small: Buffer[] = [];
  let size = 0;
  let looked = 0;
  try {
    if (wanted.file) await draft.open();
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size - looked > LOOK_BYTES) {
        looked = size;
        await requireDisk(LOOK_BYTES);
      }
      let written: Promise<void> | undefined;
      if (draft.isOpen || size > INLINE_BYTES) {
        if (!draft.isOpen) await draft.open();
        written = draft.write([...small, chunk]);
        small = [];
        // Hashing may fail first; the outcome of the write is awaited below.
        written.catch(() => {});
      } else small.push(Buffer.from(chunk));
      md5.update(chunk);
      sha256?.update(chunk);
      sum?.update(chunk);
      await written;
    }
    const facts = { size, md5: md5.digest('hex'), sha256: sha256?.digest('hex'), checksum: sum?.digest() };
    if (!draft.isOpen) return { ...facts, content: Buffer.concat(small) };
    return { ...facts, blob: { id: await draft.keep(), size, md5: facts.md5 } };
  } catch (error) {
    await draft.discard();
    throw isFull(error) ? new DiskFull('The disk is full.') : error;
  }
}

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));

/** A file that is being written. */
class Draft {
  readonly #id = v4();
  #handle: FileHandle | undefined;

  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  get #path(): string {
    return join(draftsFolder(), this.#id);
  }

  async open(): Promise<void> {
    this.#handle = await open(this.#path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  }

  async write(pieces: Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      for (let done = 0; done < piece.byteLength; ) {
        const { bytesWritten } = (await this.#handle?.write(piece, done)) ?? { bytesWritten: 0 };
        done += bytesWritten;
      }
    }
  }

  /** Gives it its place and makes it durable. */
  async keep(): Promise<string> {
    await this.#handle?.datasync();
    await this.#handle?.close();
    this.#handle = undefined;
    await rename(this.#path, pathOf(this.#id));
    await syncFolder(folderOf(this.#id));
    return this.#id;
  }

  async discard(): Promise<void> {
    if (!this.#handle) return;
    await this.#handle.close().catch(() => {});
    this.#handle = undefined;
    await rm(this.#path, { force: true });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A second name for a file: a copy that takes no time. Files never change. @throws when the file has gone */
export async function copyBlob({ id, size, md5 }: StoredBlob): Promise<StoredBlob> {
  const copy = v4();
  await link(pathOf(id), pathOf(copy));
  await syncFolder(folderOf(copy));
  return { id: copy, size, md5 };
}

/** Deletes a file that no row refers to. */
export const deleteBlob = (id: string) => rm(pathOf(id), { force: true });

/** Files that answers are reading, with the number of readers: they are deleted later. */
const reading = new Map<string, number>();

export const isRead = (id: string) => reading.has(id);

const READ_BYTES = 256 * 1024;

/**
 * The bytes of files one after another, from `start` to `end` (inclusive). The files stay until the reader ends.
 * @throws when a file is missing or shorter than its row says
 */
export async function* readBlobs(blobs: readonly Blob[], start: number, end: number): AsyncGenerator<Buffer> {
  for (const { id } of blobs) reading.set(id, (reading.get(id) ?? 0) + 1);
  try {
    let offset = 0;
    for (const { id, size } of blobs) {
      const from = Math.max(start - offset, 0);
      const to = Math.min(end - offset, size - 1);
      if (from <= to) yield* readFile(id, from, to);
      offset += size;
    }
  } finally {
    for (const { id } of blobs) {
      const readers = (reading.get(id) ?? 1) - 1;
      if (readers === 0) reading.delete(id);
      else reading.set(id, readers);
    }
  }
}

async function* readFile(id: string, from: number, to: number): AsyncGenerator<Buffer> {
  const handle = await open(pathOf(id), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for (let position = from; position <= to; ) {
      const piece = Buffer.allocUnsafe(Math.min(READ_BYTES, to + 1 - position));
      const { bytesRead } = await handle.read(piece, 0, piece.length, position);
      if (bytesRead === 0) throw new Error(`the file ${id} is shorter than its object`);
      yield bytesRead === piece.length ? piece : piece.subarray(0, bytesRead);
      position += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

/** Files that got their name before a moment, in groups. A second name makes the first one as young. */
export async function* filesBefore(moment: Date): AsyncGenerator<string[]> {
  for (const folder of await readdir(objectsFolder())) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const found: string[] = [];
    for (const name of await readdir(join(objectsFolder(), folder))) {
      const facts = await stat(join(objectsFolder(), folder, name)).catch(() => undefined);
      if (facts && facts.ctime < moment) found.push(name);
    }
    if (found.length > 0) yield found;
  }
}

/** The MD5 of a file in hex and its size; undefined when it is missing. */
export async function digestOf(id: string): Promise<{ md5: string; size: number } | undefined> {
  const facts = await stat(pathOf(id)).catch(() => undefined);
  if (!facts) return undefined;
  const hash = createHash('md5');
  if (facts.size > 0) for await (const piece of readFile(id, 0, facts.size - 1)) hash.update(piece);
  return { md5: hash.digest('hex'), size: facts.size };
}

/** The moment before which a file that no row knows is left over. */
export const leftBefore = (graceMs: number) => new Date(now().getTime() - graceMs);
