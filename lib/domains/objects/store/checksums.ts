import { createHash, type Hash } from 'node:crypto';
import { crc32, crc32c } from '@node-rs/crc32';
import { createCRC64, type IHasher } from 'hash-wasm';

/** The checksum algorithms of S3, by the names of the headers and in requests. */
export const checksumAlgorithms = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** Over the whole object, or over the checksums of its parts. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';
/** A checksum as it is stored; `value` is base64, with `-<parts>` if composite. */
export type Checksum = { algorithm: ChecksumAlgorithm; value: string; type: ChecksumType };

export const checksumHeader = (algorithm: ChecksumAlgorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** Computes a checksum piece by piece. */
export interface Summing {
  update(bytes: Uint8Array): void;
  /** Base64 of the big-endian bytes. */
  digest(): string;
}

class Crc32Sum implements Summing {
  #value = 0;
  constructor(private readonly step: (bytes: Buffer, crc: number) => number) {}
  update(bytes: Uint8Array): void {
    this.#value = this.step(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), this.#value);
  }
  digest(): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#value >>> 0);
    return bytes.toString('base64');
  }
}

class HashSum implements Summing {
  readonly #hash: Hash;
  constructor(name: 'sha1' | 'sha256') {
    this.#hash = createHash(name);
  }
  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }
  digest(): string {
    return this.#hash.digest('base64');
  }
}

/** CRC-64/NVME (NVM Express Command Set 1.0, 5.2.1.3.4), reflected: the default checksum of S3. */
const CRC64_NVME = '9a6c9329ac4bc9b5';
let crc64: Promise<IHasher> | undefined;

/** All sums share one instance of the program; each keeps its own register. */
class Crc64Sum implements Summing {
  #register: Uint8Array;
  constructor(private readonly program: IHasher) {
    this.#register = program.init().save();
  }
  update(bytes: Uint8Array): void {
    this.#register = this.program.load(this.#register).update(bytes).save();
  }
  digest(): string {
    return Buffer.from(this.program.load(this.#register).digest('binary')).toString('base64');
  }
}

/** Begins a checksum. */
export async function summing(algorithm: ChecksumAlgorithm): Promise<Summing> {
  switch (algorithm) {
    case 'CRC32':
      return new Crc32Sum((bytes, crc) => crc32(bytes, crc));
    case 'CRC32C':
      return new Crc32Sum((bytes, crc) => crc32c(bytes, crc));
    case 'CRC64NVME':
      crc64 ??= createCRC64(CRC64_NVME);
      return new Crc64Sum(await crc64);
    case 'SHA1':
      return new HashSum('sha1');
    case 'SHA256':
      return new HashSum('sha256');
  }
}

const sumBytes: Record<ChecksumAlgorithm, number> = { CRC32: 4, CRC32C: 4, CRC64NVME: 8, SHA1: 20, SHA256: 32 };

/** Whether a text can be a value of the algorithm. */
export const isChecksum = (algorithm: ChecksumAlgorithm, value: string) =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(value) && Buffer.from(value, 'base64').length === sumBytes[algorithm];

/** The type that a multipart upload has if it names none. */
export const defaultType = (algorithm: ChecksumAlgorithm): ChecksumType =>
  algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE';

/** Whether S3 knows the type for the algorithm. */
export function isCombination(algorithm: ChecksumAlgorithm, type: ChecksumType): boolean {
  if (type === 'COMPOSITE') return algorithm !== 'CRC64NVME';
  return algorithm.startsWith('CRC');
}

/** The checksum over the checksums of the parts. */
export async function composite(algorithm: ChecksumAlgorithm, values: readonly string[]): Promise<string> {
  const sum = await summing(algorithm);
  for (const value of values) sum.update(Buffer.from(value, 'base64'));
  return `${sum.digest()}-${values.length}`;
}

/** Reflected polynomials. */
const polynomials: Partial<Record<ChecksumAlgorithm, { poly: bigint; bits: number }>> = {
  CRC32: { poly: 0xedb88320n, bits: 32 },
  CRC32C: { poly: 0x82f63b78n, bits: 32 },
  CRC64NVME: { poly: 0x9a6c9329ac4bc9b5n, bits: 64 },
};

/** The CRC of a whole from those of its parts in order, without their bytes: CRCs are linear over GF(2). */
export function combined(
  algorithm: ChecksumAlgorithm,
  parts: readonly { value: string; size: number }[],
): string | undefined {
  const kind = polynomials[algorithm];
  if (!kind) return undefined;
  let whole = 0n;
  for (const { value, size } of parts) {
    const crc = BigInt(`0x${Buffer.from(value, 'base64').toString('hex') || '0'}`);
    whole = shifted(whole, size, kind) ^ crc;
  }
  return Buffer.from(whole.toString(16).padStart(kind.bits / 4, '0'), 'hex').toString('base64');
}

type Matrix = bigint[];

/** The CRC after so many zero bytes, by squaring the matrix of one zero bit. */
function shifted(crc: bigint, bytes: number, { poly, bits }: { poly: bigint; bits: number }): bigint {
  // Row n is what a register with only bit n becomes after one zero bit.
  let step: Matrix = Array.from({ length: bits }, (_, bit) => (bit === 0 ? poly : 1n << BigInt(bit - 1)));
  let rest = BigInt(bytes) * 8n;
  let value = crc;
  while (rest > 0n) {
    if (rest & 1n) value = times(step, value);
    rest >>= 1n;
    if (rest > 0n) step = step.map((row) => times(step, row));
  }
  return value;
}

function times(matrix: Matrix, vector: bigint): bigint {
  let result = 0n;
  for (let rest = vector, bit = 0; rest > 0n; rest >>= 1n, bit += 1) if (rest & 1n) result ^= matrix[bit] ?? 0n;
  return result;
}
