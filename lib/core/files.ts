import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';

/**
 * Opens a file as a stream. The file is there when this resolves, so a caller who removes it after a failure leaves
 * nothing: `createWriteStream(path)` may create its file only after a failed pipeline has ended.
 * @param flags as those of `fs.open`; `wx` fails where the path exists
 */
export async function writeStream(path: string, flags: 'w' | 'wx' = 'wx', mode = 0o600): Promise<Writable> {
  return (await open(path, flags, mode)).createWriteStream();
}
