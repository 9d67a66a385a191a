import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, crc32 } from 'node:zlib';
import { gramFilter } from './gram-filter';

/** A line: its time in microseconds since 1970, and its text. */
export type Line = { at_us: number; text: string };

export type PackedChunk = {
  first_us: number;
  last_us: number;
  lines: number;
  raw_bytes: number;
  checksum: number;
  body: Buffer;
  /** The grams of its text: a search leaves out chunks by them. */
  grams: Buffer;
};

/** Larger chunks compress little better and take longer to search (docs/decisions/0080-the-log-store.md). */
export const CHUNK_BYTES = 192 * 1024;
/** No chunk that was written unpacks to more, so that a damaged one cannot take all memory. */
const MOST_UNPACKED_BYTES = 4 * 1024 * 1024;

const FORMAT = 1;
const NEWLINE = 10;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Packs lines that are sorted by time. */
export async function packChunk(lines: readonly Line[]): Promise<PackedChunk> {
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) throw new Error('a chunk has at least one line');
  const text = Buffer.from(lines.map((line) => `${line.text}\n`).join(''));
  const head: number[] = [];
  putNumber(head, lines.length);
  putNumber(head, text.length);
  let before = 0;
  for (const { at_us } of lines) {
    putNumber(head, at_us - before);
    before = at_us;
  }
  for (const line of lines) putNumber(head, Buffer.byteLength(line.text));
  const body = Buffer.concat([
    Buffer.from([FORMAT]),
    await compress(Buffer.concat([Buffer.from(head), text]), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 20 },
    }),
  ]);
  return {
    first_us: first.at_us,
    last_us: last.at_us,
    lines: lines.length,
    raw_bytes: text.length,
    checksum: crc32(body),
    body,
    grams: gramFilter(text),
  };
}

/** Thrown for a chunk whose bytes are not those that were written. */
export class DamagedChunk extends Error {
  override name = 'DamagedChunk';
}

/** Where the lines of a chunk begin in its data, and their times. One start more than lines: the end of the text. */
type Index = { times: Float64Array; starts: Float64Array };

/** An unpacked chunk. Times are read when a line is asked for, and lines become strings then: most chunks hold no match. */
export class Chunk {
  private index: Index | undefined;

  private constructor(
    readonly length: number,
    private readonly head: NumberReader,
    private readonly text: Buffer,
  ) {}

  /** @throws DamagedChunk */
  static async unpack({ body, checksum }: Pick<PackedChunk, 'body' | 'checksum'>): Promise<Chunk> {
    if (crc32(body) !== checksum) throw new DamagedChunk('The checksum of a chunk of log lines is wrong.');
    if (body[0] !== FORMAT) throw new DamagedChunk(`A chunk of log lines has the unknown format ${body[0]}.`);
    const data = await decompress(body.subarray(1), { maxOutputLength: MOST_UNPACKED_BYTES });
    const head = new NumberReader(data);
    const length = head.next();
    const textBytes = head.next();
    return new Chunk(length, head, data.subarray(data.length - textBytes));
  }

  private get lines(): Index {
    this.index ??= this.readIndex();
    return this.index;
  }

  private readIndex(): Index {
    const times = new Float64Array(this.length);
    const starts = new Float64Array(this.length + 1);
    let at = 0;
    for (let line = 0; line < this.length; line += 1) {
      at += this.head.next();
      times[line] = at;
    }
    let start = 0;
    for (let line = 0; line < this.length; line += 1) {
      start += this.head.next() + 1;
      starts[line + 1] = start;
    }
    return { times, starts };
  }

  timeOf(line: number): number {
    return this.lines.times[line] ?? Number.NaN;
  }

  textOf(line: number): string {
    const { starts } = this.lines;
    return this.text.toString('utf8', starts[line], (starts[line + 1] ?? 1) - 1);
  }

  lineAt(line: number): Line {
    return { at_us: this.timeOf(line), text: this.textOf(line) };
  }

  /** The numbers of the lines that hold a text, in order. Searches the bytes of all lines at once. */
  linesWith(needle: Buffer): number[] {
    const found: number[] = [];
    let line = 0;
    for (let at = this.text.indexOf(needle); at >= 0; ) {
      const { starts } = this.lines;
      while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= at) line += 1;
      const end = (starts[line + 1] ?? 0) - 1;
      const within = at + needle.length <= end;
      if (within) found.push(line);
      at = this.text.indexOf(needle, within ? end : at + 1);
    }
    return found;
  }
}

/** Whether a chunk can be searched for a text as bytes: a text without line breaks. */
export const isSearchable = (needle: Buffer) => needle.length > 0 && !needle.includes(NEWLINE);

/** LEB128: seven bits a byte, the lowest first. */
function putNumber(into: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    into.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  into.push(rest);
}

class NumberReader {
  offset = 0;

  constructor(private readonly data: Buffer) {}

  next(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.data[this.offset];
      if (byte === undefined) throw new DamagedChunk('A chunk of log lines ends early.');
      this.offset += 1;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }
}
