const SECTOR = 2048;

/** Real-mode code that writes the data after it to the first serial port and halts; position-independent. */
const PROGRAM = [
  0x0e, 0x1f, 0xfc, 0xe8, 0x00, 0x00, 0x5e, 0x83, 0xc6, 0x12, 0xba, 0xf8, 0x03, 0xac, 0x84, 0xc0, 0x74, 0x03, 0xee,
  0xeb, 0xf8, 0xf4, 0xeb, 0xfd,
];

/** A minimal bootable ISO 9660 disc (El Torito, no emulation) that writes `message` to its serial port. */
export function bootDisc(message: string): Buffer {
  const disc = Buffer.alloc(64 * SECTOR);
  const sector = (index: number) => disc.subarray(index * SECTOR, (index + 1) * SECTOR);
  sector(16).write('\x01CD001\x01', 'latin1');
  sector(16).write('BOOTDISC', 40);
  sector(17).write('\x00CD001\x01EL TORITO SPECIFICATION', 'latin1');
  sector(17).writeUInt32LE(19, 0x47);
  sector(18).write('\xffCD001\x01', 'latin1');
  const catalog = sector(19);
  catalog.set([0x01, 0, 0, 0], 0);
  catalog.set([0x55, 0xaa], 0x1e);
  catalog.writeUInt16LE(0x10000 - 0xaa55 - 0x01, 0x1c);
  catalog.set([0x88, 0, 0, 0, 0, 0], 0x20);
  catalog.writeUInt16LE(4, 0x26);
  catalog.writeUInt32LE(20, 0x28);
  sector(20).set(PROGRAM, 0);
  sector(20).write(`${message}\r\n\0`, PROGRAM.length, 'latin1');
  return disc;
}
