import { join } from 'node:path';
import { z } from 'zod';
import type { EngineImage } from '@/lib/domains/images/engine';
import { EngineError } from '../../error';
import type { Host } from '../host';
import { readRecord, readRecords, recordFile } from '../record';

const imageRecord: z.ZodType<EngineImage> = z.object({
  id: z.string(),
  format: z.enum(['QCOW2', 'RAW', 'ISO']),
  sizeBytes: z.number(),
  virtualSizeBytes: z.number(),
  sha256: z.string(),
});

const directoryOf = (host: Host) => join(host.directory, 'images');

/** Written last, so an image with a record is complete and verified. */
export const imageRecordFile = (host: Host, id: string) => recordFile(directoryOf(host), id);

/** Images never change once they are here: disks and volumes stand on them as they are. */
export const imageFile = (host: Host, image: Pick<EngineImage, 'id' | 'format'>) =>
  join(directoryOf(host), `${image.id}.${image.format.toLowerCase()}`);

export const findImage = (host: Host, id: string) => readRecord(imageRecordFile(host, id), imageRecord);

export const allImages = (host: Host) => readRecords(directoryOf(host), imageRecord);

/** @throws EngineError `NOT_FOUND` */
export async function requireImage(host: Host, id: string): Promise<EngineImage> {
  const image = await findImage(host, id);
  if (image) return image;
  throw new EngineError('NOT_FOUND', `Image ${id} is not on this host: fetch, import or build it first.`);
}

/** How QEMU names a format on disk; an ISO is read as it is. */
export const blockDriver = (image: Pick<EngineImage, 'format'>) => (image.format === 'QCOW2' ? 'qcow2' : 'raw');
