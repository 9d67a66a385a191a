import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../../../error';
import { run } from '../../exec';

const MIB = 1024 * 1024;
const BOOT_START = MIB;
const MBR_CODE_BYTES = 440;

type Parts = { work: string; root: string; kernel: string; initramfs: string; syslinuxConfig: string };

/**
 * A disk that a BIOS boots: SYSLINUX, a FAT partition with the kernel, an ext4 partition with the root file system.
 * @returns the path of the QCOW2 file
 */
export async function assembleDisk({ work, root, kernel, initramfs, syslinuxConfig }: Parts): Promise<string> {
  const raw = join(work, 'disk.raw');
  const bootMib = 8 + Math.ceil(((await stat(kernel)).size + (await stat(initramfs)).size) / MIB);
  const rootMib = 48;
  const rootStart = BOOT_START + bootMib * MIB;
  await writeFile(raw, '');
  await truncate(raw, rootStart + rootMib * MIB);
  const table = `label: dos\nstart=1MiB, size=${bootMib}MiB, type=6, bootable\nstart=${1 + bootMib}MiB, type=83\n`;
  await run(['sfdisk', '--quiet', raw], { input: table });

  const boot = `${raw}@@${BOOT_START}`;
  await run(['mformat', '-i', boot, '-T', String((bootMib * MIB) / 512), '-h', '16', '-s', '63', '::']);
  await run(['mcopy', '-i', boot, kernel, '::/vmlinuz']);
  await run(['mcopy', '-i', boot, initramfs, '::/initramfs']);
  await run(['mcopy', '-i', boot, syslinuxConfig, '::/syslinux.cfg']);
  await run(['syslinux', '--install', '--offset', String(BOOT_START), raw]);
  await writeBootCode(raw);
  await run(['mkfs.ext4', '-q', '-F', '-L', 'root', '-d', root, '-E', `offset=${rootStart}`, raw, `${rootMib}M`]);

  const disk = join(work, 'disk.qcow2');
  await run(['qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', '-c', raw, disk]);
  return disk;
}

async function writeBootCode(raw: string): Promise<void> {
  const code = await firstReadable([
    '/usr/lib/SYSLINUX/mbr.bin',
    '/usr/lib/EXTLINUX/mbr.bin',
    '/usr/lib/syslinux/mbr/mbr.bin',
  ]);
  const disk = await open(raw, 'r+');
  try {
    await disk.write(code.subarray(0, MBR_CODE_BYTES), 0, Math.min(code.length, MBR_CODE_BYTES), 0);
  } finally {
    await disk.close();
  }
}

async function firstReadable(files: string[]): Promise<Buffer> {
  for (const file of files) {
    const content = await readFile(file).catch(() => null);
    if (content) return content;
  }
  throw new EngineError('ENGINE_UNAVAILABLE', 'mbr.bin is missing. Run: apt install syslinux');
}
