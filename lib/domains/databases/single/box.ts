import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceFile } from '@/lib/hosts/services/engine';
import { framesFile } from '../backups/framed';

/**
 * The Python program in a folder, as files of a service, and its digest: another program starts a member anew.
 * @param folder an engine's `box`
 */
export function boxProgram(folder: string): { files: readonly ServiceFile[]; digest: string } {
  const files = [
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.py'))
      .toSorted()
      .map((path) => ({ path, content: readFileSync(join(folder, path), 'utf8'), secret: false })),
    { ...framesFile, live: false },
  ];
  const contents = JSON.stringify(files.map(({ path, content }) => [path, content]));
  return { files, digest: createHash('sha256').update(contents).digest('hex') };
}
