import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import type { ImageFormat } from '@/lib/domains/images/engine';
import { EngineError } from '../../error';
import { run } from '../exec';
import type { Host } from '../host';
import { confine } from '../privileges';
import { checkQcow2Header } from './qcow2-header';

/** The largest disk that an image may describe: its file may be tiny and claim exabytes. */
const LARGEST_VIRTUAL_BYTES = 2 * 1024 ** 4;
const SECTOR = 512;

/** First bytes of formats that people upload under a wrong name. */
const MAGICS: { name: string; offset: number; bytes: string }[] = [
  { name: 'QCOW2', offset: 0, bytes: 'QFI\xfb' },
  { name: 'VMDK', offset: 0, bytes: 'KDMV' },
  { name: 'VMDK descriptor', offset: 0, bytes: '# Disk DescriptorFile' },
  { name: 'VHDX', offset: 0, bytes: 'vhdxfile' },
  { name: 'VHD', offset: 0, bytes: 'conectix' },
  { name: 'VDI', offset: 0x40, bytes: '\x7f\x10\xda\xbe' },
  { name: 'QED', offset: 0, bytes: 'QED\0' },
  { name: 'LUKS', offset: 0, bytes: 'LUKS\xba\xbe' },
  { name: 'gzip', offset: 0, bytes: '\x1f\x8b' },
  { name: 'xz', offset: 0, bytes: '\xfd7zXZ\0' },
  { name: 'bzip2', offset: 0, bytes: 'BZh' },
  { name: 'zstd', offset: 0, bytes: '\x28\xb5\x2f\xfd' },
  { name: 'zip', offset: 0, bytes: 'PK\x03\x04' },
];
const ISO_MAGIC = { offset: 0x8001, bytes: 'CD001' };

/**
 * Proves that a file is what its format says, and gives the size of the disk it describes. Everything that could make
 * QEMU open another file is found here, by our own reading of the header, before QEMU's tools see it.
 * @throws EngineError `INVALID` with what is wrong and what to do
 */
export async function inspectImage(
  host: Host,
  file: string,
  format: ImageFormat,
): Promise<{ virtualSizeBytes: number }> {
  const handle = await open(file, 'r');
  let size: number;
  try {
    ({ size } = await handle.stat());
    await checkMagic(handle, size, format);
    if (format === 'QCOW2') await checkQcow2Header(handle, size);
  } finally {
    await handle.close();
  }
  const virtualSizeBytes = format === 'QCOW2' ? await askQemu(host, file) : size;
  if (virtualSizeBytes > LARGEST_VIRTUAL_BYTES) {
    const tib = (virtualSizeBytes / 1024 ** 4).toFixed(1);
    throw invalid(`The image describes a disk of ${tib} TB; at most 2 TB are allowed.`);
  }
  return { virtualSizeBytes };
}

async function checkMagic(handle: FileHandle, size: number, format: ImageFormat): Promise<void> {
  const starts = async ({ offset, bytes }: { offset: number; bytes: string }) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes.length), 0, bytes.length, offset);
    return buffer.toString('latin1', 0, bytesRead) === bytes;
  };
  if (size === 0) throw invalid('The file is empty.');
  if (format === 'ISO') {
    if (await starts(ISO_MAGIC)) return;
    throw invalid('The file is not an ISO 9660 image: the CD001 signature is missing. Choose its actual format.');
  }
  for (const magic of MAGICS) {
    if (!(await starts(magic))) continue;
    if (magic.name === format) return;
    throw invalid(
      `The file is ${magic.name}, not ${format}. Choose its actual format, or convert it with qemu-img convert.`,
    );
  }
  if (format === 'QCOW2') throw invalid('The file is not a QCOW2 image: the QFI signature is missing.');
  if (size % SECTOR !== 0)
    throw invalid(`A RAW image must consist of whole ${SECTOR}-byte sectors; this file is truncated.`);
}

const information = z.object({
  format: z.literal('qcow2'),
  'virtual-size': z.number(),
  'backing-filename': z.never().optional(),
  'full-backing-filename': z.never().optional(),
  encrypted: z.literal(false).optional(),
  'format-specific': z.object({
    type: z.literal('qcow2'),
    data: z.object({
      'data-file': z.never().optional(),
      corrupt: z.literal(false).optional(),
      encrypt: z.never().optional(),
    }),
  }),
});

/** Exit code 3 of a check means space that nothing uses, which harms nobody. */
const TOLERANT_CHECK = ['sh', '-c', '"$@" || [ $? -eq 3 ]', 'sh'];

/** The second opinion: QEMU's own tools, confined, told the format so that they guess nothing. */
async function askQemu(host: Host, file: string): Promise<number> {
  const ask = (argv: string[]) =>
    run(confine(host, 'image inspector', argv), { timeoutMs: 300_000 }).catch((error: Error) => {
      if (error instanceof EngineError && error.code === 'ENGINE_UNAVAILABLE') throw error;
      throw invalid(
        `The QCOW2 image is damaged: ${error.message.split(': ').slice(1).join(': ').slice(0, 300)}`,
        error,
      );
    });
  const facts = await ask(['qemu-img', 'info', '--output=json', '-f', 'qcow2', file]);
  const answer = information.safeParse(JSON.parse(facts));
  if (!answer.success) throw invalid('The QCOW2 image refers to other files, is encrypted, or is marked as corrupt.');
  await ask([...TOLERANT_CHECK, 'qemu-img', 'check', '-q', '-f', 'qcow2', file]);
  return answer.data['virtual-size'];
}

const invalid = (message: string, cause?: Error) => new EngineError('INVALID', message, { cause });
