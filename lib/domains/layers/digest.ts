import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveError, tooLarge } from './archive';
import { CONTENT_BYTES, CONTENT_FILES } from './limits';

export type ContentFacts = { sha256: string; size_bytes: number; files: number };

/** Compiled modules of Python follow from the sources, and differ from build to build. */
const COMPILED = '__pycache__';

/**
 * Takes the measure of a version's folder, and makes everything in it readable for all and writable for nobody. The digest
 * covers paths, the right to run, and bytes, in the order of the paths: the same content has the same digest, whatever
 * brought it here.
 * @throws ArchiveError for anything but files and folders, or too much of them
 */
export async function sealContent(folder: string): Promise<ContentFacts> {
  const whole = createHash('sha256');
  let [size_bytes, files] = [0, 0];
  const visit = async (relative: string, isCounted: boolean): Promise<void> => {
    const names = (await readdir(join(folder, relative))).sort();
    for (const name of names) {
      const path = relative === '' ? name : `${relative}/${name}`;
      const counts = isCounted && name !== COMPILED;
      const found = await lstat(join(folder, path));
      files += 1;
      if (files > CONTENT_FILES)
        throw new ArchiveError(`The content has more than ${CONTENT_FILES} files and folders.`);
      if (found.isDirectory()) {
        if (counts) whole.update(`d ${path}\n`);
        await visit(path, counts);
        await chmod(join(folder, path), 0o755);
        continue;
      }
      if (!found.isFile()) throw new ArchiveError(`${path} is neither a file nor a folder.`);
      size_bytes += found.size;
      if (size_bytes > CONTENT_BYTES) throw tooLarge();
      const isExecutable = (found.mode & 0o100) !== 0;
      if (counts) whole.update(`${isExecutable ? 'x' : 'f'} ${path} ${await hashOf(join(folder, path))}\n`);
      await chmod(join(folder, path), isExecutable ? 0o555 : 0o444);
    }
  };
  await visit('', true);
  await chmod(folder, 0o755);
  return { sha256: whole.digest('hex'), size_bytes, files };
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}
