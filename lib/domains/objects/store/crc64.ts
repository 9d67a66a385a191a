const POLYNOMIAL = 0x9a6c9329ac4bc9b5n;
const LANES = 8;

/** Tables for eight bytes at a time, as two halves of 32 bits: JavaScript has no faster 64-bit integers. */
const { low, high } = tables();

function tables(): { low: Uint32Array; high: Uint32Array } {
  const whole: bigint[] = [];
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1n ? (crc >> 1n) ^ POLYNOMIAL : crc >> 1n;
    whole.push(crc);
  }
  for (let lane = 1; lane < LANES; lane += 1) {
    for (let byte = 0; byte < 256; byte += 1) {
      const past = whole[(lane - 1) * 256 + byte] ?? 0n;
      whole.push((past >> 8n) ^ (whole[Number(past & 0xffn)] ?? 0n));
    }
  }
  return {
    low: Uint32Array.from(whole, (crc) => Number(crc & 0xffffffffn)),
    high: Uint32Array.from(whole, (crc) => Number(crc >> 32n)),
  };
}

const at = (table: Uint32Array, lane: number, byte: number) => table[lane * 256 + byte] as number;

/** CRC-64/NVME (NVM Express Command Set 1.0, 5.2.1.3.4), the default checksum of S3. */
export class Crc64Nvme {
  #low = 0xffffffff;
  #high = 0xffffffff;

  update(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const whole = bytes.length - (bytes.length % LANES);
    let l = this.#low;
    let h = this.#high;
    for (let i = 0; i < whole; i += LANES) {
      const a = l ^ view.getUint32(i, true);
      const b = h ^ view.getUint32(i + 4, true);
      const [a0, a1, a2, a3] = [a & 255, (a >>> 8) & 255, (a >>> 16) & 255, a >>> 24];
      const [b0, b1, b2, b3] = [b & 255, (b >>> 8) & 255, (b >>> 16) & 255, b >>> 24];
      l = mix(low, a0, a1, a2, a3, b0, b1, b2, b3);
      h = mix(high, a0, a1, a2, a3, b0, b1, b2, b3);
    }
    for (let i = whole; i < bytes.length; i += 1) {
      const byte = (l ^ (bytes[i] as number)) & 255;
      l = ((l >>> 8) | (h << 24)) ^ at(low, 0, byte);
      h = (h >>> 8) ^ at(high, 0, byte);
    }
    this.#low = l >>> 0;
    this.#high = h >>> 0;
  }

  /** Base64 of the eight bytes, the highest first. */
  digest(): string {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.#high >>> 0, 0);
    bytes.writeUInt32BE(~this.#low >>> 0, 4);
    return bytes.toString('base64');
  }
}

function mix(
  table: Uint32Array,
  a0: number,
  a1: number,
  a2: number,
  a3: number,
  b0: number,
  b1: number,
  b2: number,
  b3: number,
): number {
  return (
    at(table, 7, a0) ^
    at(table, 6, a1) ^
    at(table, 5, a2) ^
    at(table, 4, a3) ^
    at(table, 3, b0) ^
    at(table, 2, b1) ^
    at(table, 1, b2) ^
    at(table, 0, b3)
  );
}
