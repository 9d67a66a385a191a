import { deflateRawSync } from 'node:zlib';
import { crc32 } from '@node-rs/crc32';

/** An entry of an archive; `claims` is the size that its table tells, where that is a lie. */
export type ZipEntry = { path: string; content: string; mode?: number; claims?: number };

const UNIX_20 = (3 << 8) | 20;

/** A zip archive (APPNOTE 6.3), also such as no tool would write. */
export function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const locals: Buffer[] = [];
  const table: Buffer[] = [];
  let at = 0;
  for (const { path, content, mode = 0o100644, claims } of entries) {
    const name = Buffer.from(path);
    const plain = Buffer.from(content, 'latin1');
    const packed = deflateRawSync(plain);
    const facts = Buffer.alloc(22);
    facts.writeUInt16LE(8, 0);
    facts.writeUInt32LE(crc32(plain), 6);
    facts.writeUInt32LE(packed.length, 10);
    facts.writeUInt32LE(claims ?? plain.length, 14);
    facts.writeUInt16LE(name.length, 18);
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0]), facts, name, packed]);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(0x02014b50, 0);
    head.writeUInt16LE(UNIX_20, 4);
    head.writeUInt16LE(20, 6);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(at, 10);
    table.push(Buffer.concat([head, Buffer.alloc(2), facts, rest, name]));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(table);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...locals, directory, end]));
}
