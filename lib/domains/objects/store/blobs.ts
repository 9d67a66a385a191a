import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { v4 } from 'uuid';
import { now } from '@/lib/clock';
import { settings } from '@/lib/settings';
import { type Digests, digestsOf, Hashes, type WantedHashes } from './hashes';

/** Contents up to this size are stored in the database. */
export const INLINE_BYTES = 4096;
/** Bytes that are written together. */
const WRITE_BYTES = 512 * 1024;
/** Bytes after which the disk begins to write. */
const SYNC_BYTES = 16 * 1024 ** 2;
const MOST_PIECES = 1024;
const GB = 1024 ** 3;
/** Interval between checks for free disk space. */
const LOOK_BYTES = 256 * 1024 ** 2;

/** A file of object storage. Its name says nothing of the object, so no key is ever a path. */
export type Blob = { id: string; size: number };
/** A file that is on the disk for good, but that no row knows yet. */
export type StoredBlob = Blob & { md5: string };

/** What arrived of a body: small contents in memory, others as a file. */
export type Received = Digests & { size: number } & (
    | { content: Buffer; blob?: undefined }
    | { blob: StoredBlob; content?: undefined }
  );

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

/** How long an answer of the kernel about the disk is used. */
const DISK_MS = 200;
let disk = { free: 0, at: Number.NEGATIVE_INFINITY };

/** @throws DiskFull when so many bytes would leave less than the operator's floor */
export async function requireDisk(bytes: number): Promise<void> {
  if (performance.now() - disk.at > DISK_MS) {
    const { bavail, bsize } = await statfs(objectsFolder());
    disk = { free: bavail * bsize, at: performance.now() };
  }
  disk.free -= bytes;
  if (disk.free < settings().diskFloorGb * GB) throw new DiskFull('The disk is full.');
}

type Wanted = WantedHashes & {
  /** Always a file. */
  file?: boolean;
};

/**
 * Takes a body to its end and hashes it on the way. A file is on the disk for good when this settles; what fails leaves none.
 * @throws DiskFull, and what the body throws
 */
export async function receive(body: AsyncIterable<Uint8Array>, wanted: Wanted): Promise<Received> {
  const draft = new Draft(wanted);
  let pieces: Uint8Array[] = [];
  let gathered = 0;
  let size = 0;
  let looked = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size - looked > LOOK_BYTES) {
        looked = size;
        await requireDisk(LOOK_BYTES);
      }
      pieces.push(chunk);
      gathered += chunk.byteLength;
      if (gathered >= WRITE_BYTES || (pieces.length >= MOST_PIECES && size > INLINE_BYTES)) {
        await draft.append(pieces, gathered);
        pieces = [];
        gathered = 0;
      }
    }
    if (wanted.file || size > INLINE_BYTES) {
      const { id, ...digests } = await draft.keep(pieces, gathered);
      return { size, ...digests, blob: { id, size, md5: digests.md5 } };
    }
    const content = pieces.length === 1 && pieces[0] ? Buffer.from(pieces[0]) : Buffer.concat(pieces);
    return { size, ...(await digestsOf(content, wanted)), content };
  } catch (error) {
    await draft.discard();
    throw isFull(error) ? new DiskFull('The disk is full.') : error;
  }
}

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));

/** A file that is being written and hashed: one piece at most is under way while the next one comes. */
class Draft {
  readonly #id = v4();
  #handle: FileHandle | undefined;
  #hashes: Hashes | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #unsynced = 0;
  #isKept = false;

  constructor(private readonly wanted: WantedHashes) {}

  get #path(): string {
    return join(draftsFolder(), this.#id);
  }

  /** Begins to write the next bytes, once those before are written, and hashes them meanwhile. */
  async append(pieces: readonly Uint8Array[], length: number): Promise<void> {
    await this.#underWay;
    this.#underWay = this.#write(pieces, length);
    // Awaited by the next call.
    this.#underWay.catch(() => {});
    this.#hashes ??= await Hashes.begin(this.wanted);
    for (const piece of pieces) this.#hashes.update(piece);
  }

  async #write(pieces: readonly Uint8Array[], length: number): Promise<void> {
    this.#handle ??= await open(this.#path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    for (let rest = [...pieces]; rest.length > 0; ) rest = after(rest, (await this.#handle.writev(rest)).bytesWritten);
    this.#unsynced += length;
    if (this.#unsynced < SYNC_BYTES) return;
    this.#unsynced = 0;
    // Only to have less to wait for at the end, where a failure shows again.
    this.#handle.datasync().catch(() => {});
  }

  /** Takes the last bytes, makes the file durable, and gives it its place. */
  async keep(pieces: readonly Uint8Array[], length: number): Promise<Digests & { id: string }> {
    await this.append(pieces, length);
    await this.#underWay;
    // Its name may be on the disk before its bytes are: no row knows it yet.
    await rename(this.#path, pathOf(this.#id));
    this.#isKept = true;
    await Promise.all([this.#handle?.datasync(), syncFolder(folderOf(this.#id))]);
    await this.#handle?.close();
    this.#handle = undefined;
    return { id: this.#id, ...(this.#hashes ?? (await Hashes.begin(this.wanted))).digest() };
  }

  async discard(): Promise<void> {
    await this.#underWay.catch(() => {});
    if (!this.#handle) return;
    await this.#handle.close().catch(() => {});
    this.#handle = undefined;
    await rm(this.#isKept ? pathOf(this.#id) : this.#path, { force: true });
  }
}

/** What is left of pieces after so many bytes. */
function after(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  return pieces.flatMap((piece) => {
    const cut = Math.min(skipped, piece.byteLength);
    skipped -= cut;
    return cut === piece.byteLength ? [] : [piece.subarray(cut)];
  });
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
