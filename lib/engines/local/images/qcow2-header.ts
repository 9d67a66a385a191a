import type { FileHandle } from 'node:fs/promises';
import { EngineError } from '../../error';

/** Offsets of the QCOW2 header (docs/interop/qcow2.txt of QEMU). All numbers are big-endian. */
const VERSION = 4;
const BACKING_FILE_OFFSET = 8;
const CLUSTER_BITS = 20;
const CRYPT_METHOD = 32;
const INCOMPATIBLE_FEATURES = 72;
const HEADER_LENGTH = 100;
const VERSION_2_LENGTH = 72;

/** Dirty (1) is repaired by a check, zstd compression (8) and extended L2 (16) are harmless; the rest is not. */
const HARMLESS_FEATURES = 0b1_1001n;
const EXTERNAL_DATA_FILE = 0b100n;

const EXTENSIONS_END = 0;
const BACKING_FORMAT = 0xe2792aca;
const DATA_FILE_NAME = 0x44415441;
const ENCRYPTION = 0x0537be77;

/** Refuses a QCOW2 file that refers to any other file, is encrypted, or uses what we do not know. */
export async function checkQcow2Header(handle: FileHandle, size: number): Promise<void> {
  const header = Buffer.alloc(65_536);
  const { bytesRead } = await handle.read(header, 0, header.length, 0);
  if (bytesRead < 112) throw refused('has a truncated header');
  const version = header.readUInt32BE(VERSION);
  if (version !== 2 && version !== 3) throw refused(`has version ${version}; only versions 2 and 3 are supported`);
  if (header.readBigUInt64BE(BACKING_FILE_OFFSET) !== 0n) {
    throw refused('has a backing file; merge it into one file with qemu-img convert');
  }
  if (header.readUInt32BE(CRYPT_METHOD) !== 0) throw refused('is encrypted; the platform cannot boot from it');
  const clusterBits = header.readUInt32BE(CLUSTER_BITS);
  if (clusterBits < 9 || clusterBits > 21) throw refused('has an invalid cluster size');
  const features = version === 3 ? header.readBigUInt64BE(INCOMPATIBLE_FEATURES) : 0n;
  if (features & EXTERNAL_DATA_FILE)
    throw refused('stores its data in an external file; merge it with qemu-img convert');
  if (features & ~HARMLESS_FEATURES) throw refused('is marked as corrupt or uses unsupported features');
  const length = version === 3 ? header.readUInt32BE(HEADER_LENGTH) : VERSION_2_LENGTH;
  if (length < VERSION_2_LENGTH || length > bytesRead - 8) throw refused('has an invalid header length');
  checkExtensions(header.subarray(0, Math.min(bytesRead, size)), length);
}

function checkExtensions(header: Buffer, start: number): void {
  let at = start;
  while (at + 8 <= header.length) {
    const type = header.readUInt32BE(at);
    const length = header.readUInt32BE(at + 4);
    if (type === EXTENSIONS_END) return;
    if (type === BACKING_FORMAT || type === DATA_FILE_NAME) throw refused('refers to another file in its header');
    if (type === ENCRYPTION) throw refused('is encrypted; the platform cannot boot from it');
    at += 8 + Math.ceil(length / 8) * 8;
  }
  throw refused('has an unterminated header');
}

const refused = (what: string) => new EngineError('INVALID', `The QCOW2 image ${what}.`);
