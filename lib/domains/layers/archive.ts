import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { writeStream } from '@/lib/files';
import { CONTENT_BYTES, CONTENT_FILES } from './limits';

/** An archive that is refused; the message is for whoever sent it. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

/** A file of an archive, with the size that its table tells. */
export type ArchivedFile = { path: string; size_bytes: number };
export type ArchiveFacts = { files: number; bytes: number; listed: ArchivedFile[] };

const MB = 1024 ** 2;
const S_IFMT = 0o170000;
const [DIRECTORY, REGULAR] = [0o040000, 0o100000];
/** The host system of the entry is one with modes of files (APPNOTE 4.4.2). */
const UNIX = 3;

/**
 * Reads the table of a zip without unpacking anything, and refuses what would leave the folder, is no plain file or is too
 * much: absolute paths, `..`, links, devices, encrypted entries, too many or too large.
 * @throws ArchiveError
 */
export async function inspectArchive(file: string): Promise<ArchiveFacts> {
  const facts: ArchiveFacts = { files: 0, bytes: 0, listed: [] };
  const seen = new Set<string>();
  await eachEntry(file, async (entry) => {
    count(facts, entry.uncompressedSize);
    const path = pathOf(entry);
    if (seen.has(path)) throw new ArchiveError(`${path} is in the archive twice.`);
    seen.add(path);
    if (!isFolder(entry)) facts.listed.push({ path, size_bytes: entry.uncompressedSize });
  });
  if (facts.files === 0) throw new ArchiveError('The archive is empty.');
  return facts;
}

/**
 * Unpacks a zip into an empty folder, one file after the other, and never writes more than a version may hold, whatever the
 * table of the archive says.
 * @throws ArchiveError
 */
export async function unpackArchive(file: string, folder: string, signal: AbortSignal): Promise<void> {
  const facts = { files: 0, bytes: 0 };
  await eachEntry(file, async (entry, zip) => {
    signal.throwIfAborted();
    count(facts, 0);
    const target = join(folder, pathOf(entry));
    if (isFolder(entry)) {
      await mkdir(target, { recursive: true, mode: 0o755 });
      return;
    }
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, pass) {
        facts.bytes += chunk.length;
        pass(facts.bytes > CONTENT_BYTES ? tooLarge() : null, chunk);
      },
    });
    const mode = isExecutable(entry) ? 0o755 : 0o644;
    // `wx`: an entry never replaces another one, or writes through a link.
    const copy = await writeStream(target, 'wx', mode);
    try {
      await pipeline(await zip.openReadStreamPromise(entry), meter, copy, { signal });
    } finally {
      // An entry that cannot be opened has no pipeline to close the file.
      copy.destroy();
    }
  });
}

async function eachEntry(file: string, visit: (entry: Entry, zip: ZipFile) => Promise<void>): Promise<void> {
  try {
    const zip = await openPromise(file, { strictFileNames: true, autoClose: false });
    try {
      if (zip.entryCount > CONTENT_FILES) throw tooMany();
      for await (const entry of zip.eachEntry()) await visit(entry, zip);
    } finally {
      zip.close();
    }
  } catch (error) {
    throw refusalOf(error);
  }
}

/** A failure of the host is no fault of the archive. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ArchiveError || !(error instanceof Error) || error.name === 'AbortError') return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG') {
    return new ArchiveError('Two entries of the archive exclude each other, or a path is too long.');
  }
  return code !== '' && !code.startsWith('Z_') ? error : new ArchiveError(`The archive is damaged: ${error.message}`);
}

function count(facts: { files: number; bytes: number }, bytes: number): void {
  facts.files += 1;
  facts.bytes += bytes;
  if (facts.files > CONTENT_FILES) throw tooMany();
  if (facts.bytes > CONTENT_BYTES) throw tooLarge();
}

const tooMany = () => new ArchiveError(`The archive has more than ${CONTENT_FILES} files and folders.`);
export const tooLarge = () => new ArchiveError(`Unpacked, the content is larger than ${CONTENT_BYTES / MB} MB.`);

/** The path of an entry below the folder; the zip library has refused absolute ones, `..` and backslashes. */
function pathOf(entry: Entry): string {
  const name = entry.fileName;
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) {
    throw new ArchiveError(`"${shown(name)}" is not a path within the archive.`);
  }
  if (entry.isEncrypted()) throw new ArchiveError(`${shown(name)} is encrypted.`);
  const kind = modeOf(entry) & S_IFMT;
  if (kind !== 0 && kind !== REGULAR && kind !== DIRECTORY) {
    throw new ArchiveError(`${shown(name)} is a link or a device. Only files and folders may be in an archive.`);
  }
  return parts.join('/');
}

const shown = (name: string) => name.slice(0, 200).replace(/\p{Cc}/gu, '?');
const modeOf = (entry: Entry) => (entry.versionMadeBy >> 8 === UNIX ? entry.externalFileAttributes >>> 16 : 0);
const isFolder = (entry: Entry) => entry.fileName.endsWith('/');
const isExecutable = (entry: Entry) => (modeOf(entry) & 0o100) !== 0;
