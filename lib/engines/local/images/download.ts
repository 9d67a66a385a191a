import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ImageSource } from '@/lib/domains/images/engine';
import { EngineError, reasonOf } from '../../error';
import { requireDisk } from '../compute/capacity';
import type { Host } from '../host';
import { removePath } from '../record';
import { publishedChecksum } from './published-checksum';

type OnProgress = (receivedBytes: number, totalBytes: number | null) => void;

const CONNECT_MS = 30_000;
const SILENCE_MS = 60_000;

/**
 * Downloads into `file`, going on where an earlier try stopped, and verifies the checksum of the whole.
 * @returns the file, complete and verified
 * @throws EngineError `ENGINE_ERROR` when the source can't be reached (what came stays), `CAPACITY_EXHAUSTED` when it does
 * not fit, `INVALID` for a wrong checksum
 */
export async function download(host: Host, file: string, source: ImageSource, onProgress: OnProgress): Promise<string> {
  const { checksum } = source;
  const hex = 'url' in checksum ? await publishedChecksum(source.url, checksum) : checksum.hex;
  const have = await stat(file).then(
    ({ size }) => size,
    () => 0,
  );
  try {
    await receive(host, file, have, source, onProgress);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError('ENGINE_ERROR', `${source.url} could not be fetched: ${reasonOf(error)}`, { cause: error });
  }
  const hash = createHash(checksum.algorithm);
  await pipeline(createReadStream(file, { highWaterMark: 1024 ** 2 }), hash);
  if (hash.digest('hex') === hex.toLowerCase()) return file;
  await removePath(file);
  throw new EngineError(
    'INVALID',
    `The file from ${source.url} does not have the expected ${checksum.algorithm} checksum.`,
  );
}

async function receive(
  host: Host,
  file: string,
  have: number,
  source: ImageSource,
  onProgress: OnProgress,
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(new Error('no response')), CONNECT_MS);
  try {
    const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
    const response = await fetch(source.url, { headers, redirect: 'follow', signal: silence.signal });
    // The server has nothing after what we have: it is complete, and its checksum tells.
    if (response.status === 416) return;
    if (!response.ok || !response.body) throw new Error(`the server responded with status ${response.status}`);
    const resumed = response.status === 206;
    await requireDisk(host, Number(response.headers.get('content-length') ?? 0));
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    let received = resumed ? have : 0;
    const total = Number.isNaN(length) ? null : received + length;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(new Error('the transfer stalled')), SILENCE_MS);
        received += chunk.length;
        onProgress(received, total);
        done(null, chunk);
      },
    });
    const body = Readable.from(response.body);
    await pipeline(body, meter, createWriteStream(file, { flags: resumed ? 'a' : 'w', mode: 0o600 }), {
      signal: silence.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}
