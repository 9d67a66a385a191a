import { existsSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn, removePath } from './record';

/**
 * Makes a folder for one piece of work, for its maker to remove; those that killed processes left of the same work are
 * removed here.
 */
export async function makeWorkFolder(parent: string, work: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  for (const name of await namesIn(parent)) {
    const pid = new RegExp(`^${work}-(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) await removePath(join(parent, name));
  }
  return mkdtemp(join(parent, `${work}-${process.pid}-`));
}
