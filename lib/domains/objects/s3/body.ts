import { createHash } from 'node:crypto';
import { addAbortListener } from 'node:events';
import type { Readable } from 'node:stream';
import { deleteBlob, INLINE_BYTES, type Received, receive, requireDisk } from '../store/blobs';
import { type ChecksumAlgorithm, checksumAlgorithms, checksumHeader, isChecksum, summing } from '../store/checksums';
import type { Asked } from './access';
import { unchunked } from './chunked';
import { S3Error } from './errors';
import { header, type S3Request } from './request';
import { signingKey } from './signature';

/** The largest body of one request: 5 GiB, as in S3. */
const MOST_BYTES = 5 * 1024 ** 3;
const MOST_XML_BYTES = 4 * 1024 ** 2;

/** What a client says of a body before it sends it. */
type Announced = {
  /** Undefined: as long as it is. */
  size: number | undefined;
  /** Base64, from Content-MD5. */
  md5: string | undefined;
  checksum: { algorithm: ChecksumAlgorithm; value: string | undefined } | undefined;
};

/** A body that has arrived and is what the client said. */
export type Taken = Received & { algorithm: ChecksumAlgorithm | undefined };

const isStreaming = (payload: string | undefined) => payload?.startsWith('STREAMING-') ?? false;

const PAYLOADS = [
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'UNSIGNED-PAYLOAD',
];

/** @throws S3Error for a missing length, too many bytes, or a malformed digest */
export function announced(request: S3Request): Announced {
  const streams = isStreaming(header(request, 'x-amz-content-sha256'));
  const length = header(request, streams ? 'x-amz-decoded-content-length' : 'content-length');
  // A body in chunks of HTTP says its length by its end.
  const isChunked = !streams && header(request, 'transfer-encoding')?.toLowerCase() === 'chunked';
  if (length === undefined && !isChunked) throw new S3Error('MissingContentLength');
  if (length !== undefined && !/^\d{1,15}$/.test(length))
    throw new S3Error('InvalidArgument', 'The length must be a number.');
  const size = length === undefined ? undefined : Number(length);
  if (size !== undefined && size > MOST_BYTES) throw new S3Error('EntityTooLarge');
  const md5 = header(request, 'content-md5');
  if (md5 !== undefined && Buffer.from(md5, 'base64').length !== 16) throw new S3Error('InvalidDigest');
  return { size, md5, checksum: announcedChecksum(request) };
}

function announcedChecksum(request: S3Request): Announced['checksum'] {
  const given = checksumAlgorithms.filter((algorithm) => header(request, checksumHeader(algorithm)) !== undefined);
  if (given.length > 1) throw new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header.');
  const [algorithm] = given;
  if (algorithm) {
    const value = header(request, checksumHeader(algorithm)) ?? '';
    if (!isChecksum(algorithm, value))
      throw new S3Error('BadDigest', `Value for ${checksumHeader(algorithm)} header is invalid.`);
    return { algorithm, value };
  }
  const trailer = header(request, 'x-amz-trailer')?.toLowerCase();
  if (trailer === undefined) return undefined;
  const inTrailer = checksumAlgorithms.find((known) => checksumHeader(known) === trailer);
  if (!inTrailer)
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported.');
  return { algorithm: inTrailer, value: undefined };
}

/** Where the bytes come from, without the framing of `aws-chunked`. */
function contentOf(
  request: S3Request,
  { claim, secret }: Pick<Asked, 'claim' | 'secret'>,
  trailers: Map<string, string>,
) {
  const payload = claim?.payload ?? header(request, 'x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD';
  if (!isStreaming(payload)) return request.body;
  if (!PAYLOADS.includes(payload))
    throw new S3Error('NotImplemented', 'This kind of x-amz-content-sha256 is not supported.');
  const isSigned = payload !== 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  if (isSigned && !claim) throw new S3Error('AccessDenied');
  return unchunked(request.body, isSigned && claim ? { key: signingKey(secret, claim), claim } : undefined, trailers);
}

/** @throws S3Error when more or fewer bytes come than the client said */
async function* exactly(body: AsyncIterable<Uint8Array>, size: number | undefined): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const piece of body) {
    seen += piece.byteLength;
    if (size !== undefined && seen > size)
      throw new S3Error('IncompleteBody', 'The body is longer than its declared length.');
    if (seen > MOST_BYTES) throw new S3Error('EntityTooLarge');
    yield piece;
  }
  if (size !== undefined && seen < size) throw new S3Error('IncompleteBody');
}

/**
 * Takes the body of an upload and compares it with every digest that the client gave. Refuses before the first byte if the disk
 * has no room. @param algorithm of the checksum to compute even if the client gives none
 */
export async function takeBody(
  request: S3Request,
  asked: Pick<Asked, 'claim' | 'secret'>,
  more: { algorithm?: ChecksumAlgorithm | undefined; file?: boolean } = {},
): Promise<Taken> {
  const said = announced(request);
  await requireDisk(said.size ?? 0);
  const payload = header(request, 'x-amz-content-sha256');
  const signedHash = payload !== undefined && /^[0-9a-f]{64}$/.test(payload) ? payload : undefined;
  if (payload !== undefined && signedHash === undefined && !PAYLOADS.includes(payload) && !isStreaming(payload))
    throw new S3Error(
      'InvalidArgument',
      'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-…, or a valid sha256 value.',
    );
  const trailers = new Map<string, string>();
  const algorithm = said.checksum?.algorithm ?? more.algorithm;
  const received = await receive(exactly(contentOf(request, asked, trailers), said.size), {
    sha256: signedHash !== undefined,
    checksum: algorithm,
    file: more.file ?? false,
  });
  const expected = said.checksum?.value ?? (said.checksum && trailers.get(checksumHeader(said.checksum.algorithm)));
  const wrong = mismatch(received, said, signedHash, expected);
  if (wrong) {
    await discard(received);
    throw wrong;
  }
  return { ...received, algorithm };
}

/** Deletes what was received when it does not become an object. */
export async function discard({ blob }: Pick<Received, 'blob'>): Promise<void> {
  if (blob) await deleteBlob(blob.id);
}

function mismatch(
  received: Received,
  said: Announced,
  signedHash: string | undefined,
  expected: string | undefined,
): S3Error | undefined {
  if (signedHash !== undefined && received.sha256 !== signedHash) return new S3Error('XAmzContentSHA256Mismatch');
  if (said.md5 !== undefined && Buffer.from(said.md5, 'base64').toString('hex') !== received.md5)
    return new S3Error('BadDigest');
  if (!said.checksum) return undefined;
  if (expected === undefined) return new S3Error('InvalidRequest', 'The trailer with the checksum is missing.');
  return expected === received.checksum ? undefined : new S3Error('BadDigest');
}

/**
 * A small body as text, whose digests hold.
 * @param about what a checksum header is about: completing an upload, it is the object and not the body
 * @throws S3Error
 */
export async function takeText(
  request: S3Request,
  asked: Pick<Asked, 'claim' | 'secret'>,
  about: 'body' | 'object' = 'body',
): Promise<string> {
  const trailers = new Map<string, string>();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of contentOf(request, asked, trailers)) {
    size += piece.byteLength;
    if (size > MOST_XML_BYTES) throw new S3Error('MaxMessageLengthExceeded');
    pieces.push(piece);
  }
  const body = Buffer.concat(pieces);
  const payload = header(request, 'x-amz-content-sha256');
  if (
    payload !== undefined &&
    /^[0-9a-f]{64}$/.test(payload) &&
    createHash('sha256').update(body).digest('hex') !== payload
  )
    throw new S3Error('XAmzContentSHA256Mismatch');
  const md5 = header(request, 'content-md5');
  if (md5 !== undefined && createHash('md5').update(body).digest('base64') !== md5)
    throw new S3Error(Buffer.from(md5, 'base64').length === 16 ? 'BadDigest' : 'InvalidDigest');
  if (about === 'body') await requireChecksum(request, body, trailers);
  return body.toString('utf8');
}

async function requireChecksum(
  request: S3Request,
  body: Uint8Array,
  trailers: ReadonlyMap<string, string>,
): Promise<void> {
  const said = announcedChecksum(request);
  if (!said) return;
  const sum = await summing(said.algorithm);
  sum.update(body);
  if ((said.value ?? trailers.get(checksumHeader(said.algorithm))) !== sum.digest()) throw new S3Error('BadDigest');
}

/** A body that says it is at most this long is gathered: room for an object that is stored in a row, as `aws-chunked` frames it. */
export const SMALL_BYTES = 2 * INLINE_BYTES;

/** A small body in one piece. @throws S3Error when it does not come whole within the time of `steadily` */
export function gather(body: Readable, idleMs = IDLE_MS): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const end = (settle: () => void) => {
      clearTimeout(timer);
      body.off('data', take).off('end', finish).off('error', fail).off('close', fail);
      settle();
    };
    const take = (piece: Buffer) => void pieces.push(piece);
    const finish = () => end(() => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
    const fail = () => end(() => reject(new S3Error('IncompleteBody')));
    const timer = setTimeout(() => end(() => reject(new S3Error('RequestTimeout'))), idleMs);
    if (body.destroyed && !body.readableEnded) return fail();
    body.on('data', take).on('end', finish).on('error', fail).on('close', fail);
  });
}

const IDLE_MS = 60_000;
const LEAST_BYTES_PER_S = 512;

/** A body that keeps coming: one that stalls, or drips, ends with `RequestTimeout`. */
export async function* steadily(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  idleMs = IDLE_MS,
): AsyncGenerator<Uint8Array> {
  const begun = performance.now();
  const source = body[Symbol.asyncIterator]();
  let seen = 0;
  // One timer and one listener for the whole body: it may have a million pieces.
  let fail: (error: S3Error) => void = () => {};
  const timer = setTimeout(() => fail(new S3Error('RequestTimeout')), idleMs);
  const gone = addAbortListener(signal, () => fail(new S3Error('IncompleteBody')));
  try {
    for (;;) {
      if (signal.aborted) throw new S3Error('IncompleteBody');
      timer.refresh();
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        fail = reject;
        source.next().then(resolve, reject);
      });
      if (next.done) return;
      seen += next.value.byteLength;
      const seconds = (performance.now() - begun) / 1000;
      if (seconds > idleMs / 1000 && seen / seconds < LEAST_BYTES_PER_S) throw new S3Error('RequestTimeout');
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    gone[Symbol.dispose]();
    // A source that waits for the client would wait here as well.
    void source.return?.().catch(() => {});
  }
}

/** What is read of a body that nobody wants: a part of a usual client, on a usual line. */
const REST = { bytes: 64 * 1024 ** 2, ms: 30_000, idleMs: 5000 };

/**
 * Reads the rest of a body and throws it away, so that its client can read the answer: most read nothing before they have sent
 * everything, and a connection that is closed before is reset. Settles at the end of the body, or when a limit is reached.
 */
export function discardRest(body: Readable, { bytes, ms, idleMs } = REST): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const end = () => {
      clearTimeout(limit);
      clearTimeout(idle);
      body.off('data', take).off('end', end).off('error', end).off('close', end);
      resolve();
    };
    const take = (piece: Uint8Array) => {
      seen += piece.byteLength;
      idle.refresh();
      if (seen > bytes) end();
    };
    const limit = setTimeout(end, ms);
    const idle = setTimeout(end, idleMs);
    if (body.destroyed || body.readableEnded) return end();
    // Whoever read it before may still wait for more, which would hold it up.
    body.removeAllListeners('readable');
    body.on('data', take).on('end', end).on('error', end).on('close', end).resume();
  });
}
