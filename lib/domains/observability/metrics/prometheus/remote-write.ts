import type { Labels } from '../promql/match';

/** A series with samples, oldest first. Times are Unix milliseconds. */
export type WrittenSeries = { labels: Labels; samples: readonly { at: number; value: number }[] };

/** The body of a remote write (1.0): a `WriteRequest` in protocol buffers, in Snappy’s block format. */
export function remoteWrite(series: readonly WrittenSeries[]): Buffer<ArrayBuffer> {
  return snappy(Buffer.concat(series.map((one) => field(1, timeSeries(one)))));
}

function timeSeries({ labels, samples }: WrittenSeries): Buffer {
  // Labels must be sorted, and none may be empty.
  const sorted = Object.entries(labels)
    .filter(([, value]) => value !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Buffer.concat([
    ...sorted.map(([name, value]) => field(1, Buffer.concat([textField(1, name), textField(2, value)]))),
    ...samples.map((sample) => field(2, sampleOf(sample))),
  ]);
}

function sampleOf({ at, value }: { at: number; value: number }): Buffer {
  const number = Buffer.alloc(9);
  number.writeUInt8(tag(1, FIXED_64));
  number.writeDoubleLE(value, 1);
  return Buffer.concat([number, varint(tag(2, VARINT)), varint(at)]);
}

/** Types of fields in protocol buffers. */
const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_PREFIXED = 2;

const tag = (number: number, type: number) => (number << 3) | type;

const field = (number: number, body: Buffer) =>
  Buffer.concat([varint(tag(number, LENGTH_PREFIXED)), varint(body.length), body]);

const textField = (number: number, text: string) => field(number, Buffer.from(text));

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  // Bitwise operators would cut off times, which have more than 32 bits.
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** The tag of a literal with a length of two bytes. */
const LITERAL = 61 << 2;
const LONGEST_LITERAL = 65_536;

/** Snappy’s block format without compression. */
function snappy(body: Buffer): Buffer<ArrayBuffer> {
  const parts = [varint(body.length)];
  for (let start = 0; start < body.length; start += LONGEST_LITERAL) {
    const literal = body.subarray(start, start + LONGEST_LITERAL);
    const length = literal.length - 1;
    parts.push(Buffer.from([LITERAL, length % 256, Math.floor(length / 256)]), literal);
  }
  return Buffer.concat(parts);
}
