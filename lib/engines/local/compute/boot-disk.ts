import { mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { InstanceSpec } from '@/lib/domains/compute/engine';
import { EngineError } from '../../error';
import { run } from '../exec';
import { giveToGuest, type Host, openToGuests } from '../host';
import { blockDriver, imageFile, requireImage } from '../images/store';
import { namesIn, removePath } from '../record';
import { bootDiskFile, instanceDirectory } from './instance-record';

const GIB = 1024 ** 3;

/**
 * Makes the boot disk of this generation, a copy-on-write overlay of its image (or an empty disk beside an ISO), and
 * removes those of earlier generations.
 * @throws EngineError `INVALID` when the image does not fit onto it
 */
export async function ensureBootDisk(host: Host, spec: InstanceSpec): Promise<void> {
  const directory = instanceDirectory(host, spec.id);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await openToGuests(host, directory, 0o710);
  const disk = bootDiskFile(host, spec.id, spec.disk.generation);
  const present = await namesIn(directory);
  if (!present.includes(basename(disk))) await createBootDisk(host, spec, disk);
  for (const name of present) {
    if (/^boot-\d+\.qcow2/.test(name) && name !== basename(disk)) await removePath(join(directory, name));
  }
}

async function createBootDisk(host: Host, spec: InstanceSpec, disk: string): Promise<void> {
  const image = await requireImage(host, spec.disk.imageId);
  const isDisc = image.format === 'ISO';
  if (!isDisc && image.virtualSizeBytes > spec.disk.sizeGb * GIB) {
    const needed = Math.ceil(image.virtualSizeBytes / GIB);
    throw new EngineError(
      'INVALID',
      `The image requires a disk of ${needed} GB; the flavor has ${spec.disk.sizeGb} GB.`,
    );
  }
  const base = isDisc ? [] : ['-b', imageFile(host, image), '-F', blockDriver(image)];
  const draft = `${disk}.new`;
  await run(['qemu-img', 'create', '-q', '-f', 'qcow2', ...base, draft, String(spec.disk.sizeGb * GIB)]);
  await giveToGuest(host, draft, spec.id, 0o600);
  await rename(draft, disk);
}
