import { mkdtempSync } from 'node:fs';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { untilSettled } from '../../until-settled';
import { describeHost } from '../host';
import { LocalImages } from './local-images';

const dataDir = mkdtempSync(join(tmpdir(), 'neph-images-'));
const images = new LocalImages(describeHost({ dataDir }));
const placed = join(dataDir, 'engine', 'images');

afterAll(() => rm(dataDir, { recursive: true }));

/** An upload that was moved to its place, by a process that died before it wrote that down. */
async function brokenOff(id: string): Promise<void> {
  await chmod(dataDir, 0o711);
  await images.receiveImage(id, Readable.from([Buffer.alloc(1024, 1)]));
  await rename(join(dataDir, 'engine', 'uploads', `${id}.part`), join(placed, `${id}.raw`));
}

it('an upload whose taking over was broken off at its last step is taken over the next time', async () => {
  const id = newId();
  await brokenOff(id);
  const { image } = await untilSettled(() => images.importImage(id, 'RAW'));
  expect(image).toMatchObject({ id, sizeBytes: 1024 });
  expect(await images.observeImages()).toHaveLength(1);
  await untilSettled(() => images.removeImage(id));
  expect(await readdir(placed)).toEqual([]);
});

it('deleted instead, it leaves nothing', async () => {
  const id = newId();
  await brokenOff(id);
  await untilSettled(() => images.removeImage(id));
  expect([await readdir(placed), await images.observeReceived()]).toEqual([[], []]);
});
