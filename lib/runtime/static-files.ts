import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import sirv from 'sirv';

/** The folder of a build's scripts, styles and fonts. */
export const builtFiles = '.next/static';
const prefix = '/_next/static';

const YEAR_S = 365 * 24 * 3600;
/** A smaller file fits into one packet anyway. */
const WORTH_BYTES = 1000;

/** Writes `.br` and `.gz` next to every text file of the folder that lacks them, at maximum compression. */
export async function compressFiles(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  const texts = names.filter((name) => /\.(js|css|svg|json|txt)$/.test(name) && !names.includes(`${name}.br`));
  const work = texts.map((name) => join(folder, name)).values();
  const worker = async () => {
    for (const file of work) await compressFile(file);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

async function compressFile(file: string): Promise<void> {
  if ((await stat(file)).size < WORTH_BYTES) return;
  const text = await readFile(file);
  await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION }));
  await writeFile(`${file}.br`, await promisify(brotliCompress)(text));
}

/**
 * Serves files of the portal's build. Their names carry a content hash, so browsers may cache them forever.
 * @returns whether the file exists; if not, another handler should answer
 */
export function serveBuiltFiles(
  folder: string = builtFiles,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const serve = sirv(folder, {
    brotli: true,
    gzip: true,
    immutable: true,
    maxAge: YEAR_S,
    setHeaders: (response) => response.setHeader('X-Content-Type-Options', 'nosniff'),
  });
  return (request, response) => {
    const { url = '', method } = request;
    if (!url.startsWith(`${prefix}/`) || (method !== 'GET' && method !== 'HEAD')) return false;
    const path = url.slice(prefix.length);
    // A new build may have removed it since this process listed the files.
    if (!existsSync(join(folder, path.split('?')[0] ?? ''))) return false;
    let found = true;
    request.url = path;
    serve(request, response, () => {
      found = false;
    });
    request.url = url;
    return found;
  };
}
