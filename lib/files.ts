import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Opens a file for writing. The file exists once this resolves, so callers can reliably remove it after a failure:
 * `createWriteStream(path)` may create its file only after a failed pipeline has settled.
 * @param flags as those of `fs.open`; `wx` fails where the path exists
 */
export async function writeStream(path: string, flags: 'w' | 'wx' = 'wx', mode = 0o600): Promise<Writable> {
  return (await open(path, flags, mode)).createWriteStream();
}

/**
 * Writes a stream to a file, which the caller removes after a failure.
 * @param limit the error to fail with once the stream exceeds `most` bytes
 * @returns its size in bytes, and its SHA-256 in hex
 */
export async function storeStream(
  content: Readable,
  path: string,
  options: { flags?: 'w' | 'wx'; limit?: { most: number; tooLarge: () => Error }; signal?: AbortSignal } = {},
): Promise<{ sizeBytes: number; sha256: string }> {
  const { flags, limit, signal } = options;
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const meter = new Transform({
    transform(chunk: Uint8Array, _encoding, pass) {
      sizeBytes += chunk.byteLength;
      if (limit && sizeBytes > limit.most) return pass(limit.tooLarge());
      hash.update(chunk);
      pass(null, chunk);
    },
  });
  await pipeline(content, meter, await writeStream(path, flags), { signal });
  return { sizeBytes, sha256: hash.digest('hex') };
}
