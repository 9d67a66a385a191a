import { join, type Sql, sql } from '@/lib/core/db/sql';

/** Bytes of a gram: of three, numbers soon have all there are; of five, a filter has room for too few. */
const GRAM_BYTES = 4;
/** Bytes of text for each byte of a filter: 1.3% of the text. */
const TEXT_PER_BYTE = 75;
/** Enough for a single line. */
const LEAST_BYTES = 32;
/** A page of PostgreSQL holds three rows of chunks with filters of this size. */
const MOST_BYTES = 2600;
/** The words of a log are few, its numbers and IDs many: words have a fifth of the bits, so that numbers do not fill those. */
const WORD_SHARE = 5;
/** Further grams of a query leave out hardly any chunk more. */
export const MOST_GRAMS = 32;

const NEWLINE = 10;
const ZERO = 48;
const NINE = 57;

/** A sequence of four bytes as a hash of 31 bits. A word has no digit. */
export type Gram = { hash: number; isWord: boolean };

/**
 * A bitmap of the grams of a text, one bit each. A text with a gram whose bit is not set is not in there; the reverse need
 * not hold.
 */
export function gramFilter(text: Buffer): Buffer {
  const size = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, Math.ceil(text.length / TEXT_PER_BYTE)));
  const filter = Buffer.alloc(size);
  const bits = size * 8;
  const words = Math.floor(bits / WORD_SHARE);
  eachGram(text, (hash, isWord) => {
    const bit = isWord ? hash % words : words + (hash % (bits - words));
    filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
  });
  return filter;
}

/** Grams that a chunk with the text has. None for texts that are too short. */
export function gramsOf(text: Buffer): Gram[] {
  const grams = new Map<string, Gram>();
  eachGram(text, (hash, isWord) => grams.set(`${hash} ${isWord}`, { hash, isWord }));
  const every = Math.ceil(grams.size / MOST_GRAMS);
  return [...grams.values()].filter((_, position) => position % every === 0);
}

/** Whether the filter of a chunk has all grams. Chunks of earlier versions have no filter. */
export function mayHave(grams: readonly Gram[]): Sql {
  if (grams.length === 0) return sql`true`;
  const bits = sql`8 * octet_length(grams)`;
  const words = sql`(${bits} / ${WORD_SHARE}::int)`;
  const isSet = grams.map(({ hash, isWord }) =>
    isWord
      ? sql`get_bit(grams, ${hash}::int % ${words}) = 1`
      : sql`get_bit(grams, ${words} + ${hash}::int % (${bits} - ${words})) = 1`,
  );
  return sql`(grams IS NULL OR (${join(isSet, ' AND ')}))`;
}

/**
 * Calls back with each gram inside a line. Of those with digits, only with every other by its hash: lines with several IDs
 * would set nearly all bits.
 */
function eachGram(text: Buffer, use: (hash: number, isWord: boolean) => void): void {
  let bytes = 0;
  let length = 0;
  let letters = 0;
  for (const byte of text) {
    bytes = (bytes << 8) | byte;
    length = byte === NEWLINE ? 0 : length + 1;
    letters = byte >= ZERO && byte <= NINE ? 0 : letters + 1;
    if (length < GRAM_BYTES) continue;
    const mixed = mix(bytes);
    const isWord = letters >= GRAM_BYTES;
    if (isWord || mixed >= 0) use(mixed & 0x7fffffff, isWord);
  }
}

/** The finalizer of MurmurHash3: each bit of the four bytes changes half of the others. */
function mix(bytes: number): number {
  let value = Math.imul(bytes ^ (bytes >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
