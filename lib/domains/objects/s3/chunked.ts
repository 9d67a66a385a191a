import { createHash } from 'node:crypto';
import { S3Error } from './errors';
import { type Claim, equal, pieceSignature } from './signature';

const LONGEST_LINE = 4096;
const MOST_TRAILERS = 16;

/** What signs the pieces of a stream; undefined: they are not signed. */
export type PieceKey = { key: Buffer; claim: Claim } | undefined;

/** Reads lines and counted bytes from a stream. */
class Reader {
  #rest: Buffer = Buffer.alloc(0);
  readonly #source: AsyncIterator<Uint8Array>;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    const next = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#rest = this.#rest.length === 0 ? next : Buffer.concat([this.#rest, next]);
    return true;
  }

  /** Without its end. A last line without one is whole. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end >= 0) {
        const line = this.#rest.subarray(0, end).toString('latin1').replace(/\r$/, '');
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      if (this.#rest.length > LONGEST_LINE) throw new S3Error('IncompleteBody', 'The chunked body is malformed.');
      if (!(await this.#more())) {
        if (this.#rest.length === 0) return undefined;
        const line = this.#rest.toString('latin1');
        this.#rest = Buffer.alloc(0);
        return line;
      }
    }
  }

  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new S3Error('IncompleteBody');
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }
}

/**
 * The bytes inside an `aws-chunked` body. Each signed piece is verified when it has arrived, the trailer at the end: what takes
 * the bytes must not use them before this has ended. `trailers` is filled then.
 */
export async function* unchunked(
  body: AsyncIterable<Uint8Array>,
  signing: PieceKey,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const reader = new Reader(body);
  let previous = signing?.claim.signature ?? '';
  for (;;) {
    const head = /^([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec((await reader.line()) ?? '');
    if (!head) throw new S3Error('IncompleteBody', 'The chunked body is malformed.');
    const size = Number.parseInt(head[1] ?? '', 16);
    const hash = signing && createHash('sha256');
    for await (const piece of reader.bytes(size)) {
      hash?.update(piece);
      yield piece;
    }
    if (signing && hash) {
      const expected = pieceSignature(signing.key, signing.claim, previous, {
        kind: 'PAYLOAD',
        hash: hash.digest('hex'),
      });
      if (!equal(expected, head[2] ?? '')) throw new S3Error('SignatureDoesNotMatch');
      previous = expected;
    }
    if (size === 0) break;
    if ((await reader.line()) !== '') throw new S3Error('IncompleteBody', 'The chunked body is malformed.');
  }
  await readTrailers(reader, signing, previous, trailers);
}

async function readTrailers(
  reader: Reader,
  signing: PieceKey,
  previous: string,
  trailers: Map<string, string>,
): Promise<void> {
  let signature: string | undefined;
  for (let lines = 0; lines < MOST_TRAILERS; lines += 1) {
    const line = await reader.line();
    if (line === undefined) break;
    if (line === '') continue;
    const at = line.indexOf(':');
    if (at < 1) throw new S3Error('IncompleteBody', 'The trailer is malformed.');
    const [name, value] = [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    if (name === 'x-amz-trailer-signature') signature = value;
    else trailers.set(name, value);
  }
  if (!signing?.claim.payload.endsWith('-TRAILER')) return;
  const text = [...trailers].map(([name, value]) => `${name}:${value}\n`).join('');
  const hash = createHash('sha256').update(text).digest('hex');
  const expected = pieceSignature(signing.key, signing.claim, previous, { kind: 'TRAILER', hash });
  if (!equal(expected, signature ?? '')) throw new S3Error('SignatureDoesNotMatch');
}
