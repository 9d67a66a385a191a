import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Opens a file as a stream. The file is there when this resolves, so a caller who removes it after a failure leaves
 * nothing: `createWriteStream(path)` may create its file only after a failed pipeline has ended.
 * @param flags as those of `fs.open`; `wx` fails where the path exists
 */
export async function writeStream(path: string, flags: 'w' | 'wx' = 'wx', mode = 0o600): Promise<Writable> {
  return (await open(path, flags, mode)).createWriteStream();
}

/**
 * Writes a stream into a new file, which the caller removes after a failure.
 * @param tooLarge the error of a stream with more than `most` bytes
 * @returns its size in bytes, and its SHA-256 in hex
 */
export async function storeStream(
  content: Readable,
  path: string,
  { most, tooLarge }: { most: number; tooLarge: () => Error },
  signal: AbortSignal,
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, pass) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > most) return pass(tooLarge());
      hash.update(chunk);
      pass(null, chunk);
    },
  });
  await pipeline(content, meter, await writeStream(path), { signal });
  return { sizeBytes, sha256: hash.digest('hex') };
}
