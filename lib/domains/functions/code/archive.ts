import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { ApiError, invalid } from '@/lib/core/api/errors';
import { UNPACKED_BYTES } from '../schema';

export type ArchivedFile = { path: string; size_bytes: number };

const MB = 1024 ** 2;
const MOST_FILES = 10_000;
const [FORMAT, FOLDER, FILE] = [0o170000, 0o040000, 0o100000];
/** Entries of these hosts have modes of files (APPNOTE 4.4.2). */
const UNIX = 3;

/**
 * Reads the table of a zip without unpacking anything, and refuses what would leave its folder, is no plain file or is too much.
 * @returns its files
 * @throws ApiError 400, 413
 */
export async function inspectArchive(file: string): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  await eachEntry(file, async (entry) => {
    const path = pathOf(entry);
    if (seen.has(path)) throw invalid(`archive: ${path} is in it twice.`);
    seen.add(path);
    bytes += entry.uncompressedSize;
    if (bytes > UNPACKED_BYTES) throw tooLarge();
    if (!isFolder(entry)) files.push({ path, size_bytes: entry.uncompressedSize });
  });
  if (files.length === 0) throw invalid('archive: it has no files.');
  return files;
}

/**
 * Unpacks a zip into an empty folder. Whatever its table says, it never writes more than a function may have, nor outside.
 * @throws ApiError 400, 413
 */
export async function unpackArchive(file: string, folder: string): Promise<void> {
  let bytes = 0;
  await eachEntry(file, async (entry, zip) => {
    const target = join(folder, pathOf(entry));
    if (isFolder(entry)) {
      await mkdir(target, { recursive: true, mode: 0o755 });
      return;
    }
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, pass) {
        bytes += chunk.length;
        pass(bytes > UNPACKED_BYTES ? tooLarge() : null, chunk);
      },
    });
    const mode = (modeOf(entry) & 0o100) === 0 ? 0o644 : 0o755;
    // `wx`: an entry replaces no other one.
    await pipeline(await zip.openReadStreamPromise(entry), meter, createWriteStream(target, { flags: 'wx', mode }));
  });
}

async function eachEntry(file: string, visit: (entry: Entry, zip: ZipFile) => Promise<void>): Promise<void> {
  try {
    const zip = await openPromise(file, { strictFileNames: true, autoClose: false });
    try {
      if (zip.entryCount > MOST_FILES) throw invalid(`archive: it has more than ${MOST_FILES} files.`);
      for await (const entry of zip.eachEntry()) await visit(entry, zip);
    } finally {
      zip.close();
    }
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof Error)) throw error;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (['ENOSPC', 'EIO', 'EMFILE', 'ENOENT', 'EACCES'].includes(code)) throw error;
    throw invalid(`archive: it is no readable zip: ${error.message.slice(0, 200)}`);
  }
}

const tooLarge = () =>
  new ApiError('PAYLOAD_TOO_LARGE', `archive: unpacked, it is larger than ${UNPACKED_BYTES / MB} MB.`);

/** The path below the folder; the zip library has refused absolute paths, `..` and backslashes. */
function pathOf(entry: Entry): string {
  const parts = entry.fileName.replace(/\/$/, '').split('/');
  const shown = entry.fileName.slice(0, 200).replace(/\p{Cc}/gu, '?');
  if (parts.some((part) => ['', '.', '..'].includes(part) || part.includes('\0') || Buffer.byteLength(part) > 255)) {
    throw invalid(`archive: "${shown}" is no path inside it.`);
  }
  if (parts.length > 30) throw invalid(`archive: "${shown}" is too deep.`);
  if (entry.isEncrypted()) throw invalid(`archive: ${shown} is encrypted.`);
  const kind = modeOf(entry) & FORMAT;
  if (kind !== 0 && kind !== FILE && kind !== FOLDER) throw invalid(`archive: ${shown} is a link or a device.`);
  return parts.join('/');
}

const modeOf = (entry: Entry) => (entry.versionMadeBy >> 8 === UNIX ? entry.externalFileAttributes >>> 16 : 0);
const isFolder = (entry: Entry) => entry.fileName.endsWith('/');
