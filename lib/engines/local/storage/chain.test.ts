import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { newId } from '@/lib/core/db/id';
import { untilSettled } from '../../until-settled';
import { run } from '../exec';
import { openLocalEngine } from '../local-engine';

const dataDir = mkdtempSync(join(tmpdir(), 'neph-chain-'));
const { storage, images } = openLocalEngine({ dataDir });
const exports = () => readdir(join(dataDir, 'engine/exports'));
const layers = async () => (await readdir(join(dataDir, 'engine/layers'))).length;
afterAll(() => rm(dataDir, { recursive: true }));

/** The file that a volume's guest would write to. */
async function headOf(id: string): Promise<string> {
  const record = JSON.parse(await readFile(join(dataDir, 'engine/volumes', `${id}.json`), 'utf8'));
  return join(dataDir, 'engine/layers', `${z.object({ head: z.string() }).parse(record).head}.qcow2`);
}

/** Fills the first 64 kB with a byte, or says whether they are full of it. */
const qemuIo = (file: string, command: string) => run(['qemu-io', '-f', 'qcow2', '-c', command, file]);
const write = async (id: string, byte: number) => qemuIo(await headOf(id), `write -P ${byte} 0 64k`);
const verify = async (id: string, byte: number) =>
  expect(await qemuIo(await headOf(id), `read -P ${byte} 0 64k`)).not.toContain('failed');

it('a chain is as long as the snapshots that exist, and gone with the last thing that needs it', async () => {
  const [volume, copy] = [newId(), newId()];
  await untilSettled(() => storage.ensureVolume({ id: volume, sizeGb: 1, source: { kind: 'empty' } }));
  for (const id of [newId(), newId(), newId()]) {
    await untilSettled(() => storage.ensureSnapshot({ id, volumeId: volume }));
    expect(await layers()).toBe(2);
    await untilSettled(() => storage.removeSnapshot(id));
    expect(await layers()).toBe(1);
  }
  const kept = newId();
  await untilSettled(() => storage.ensureSnapshot({ id: kept, volumeId: volume }));
  await untilSettled(() =>
    storage.ensureVolume({ id: copy, sizeGb: 1, source: { kind: 'snapshot', snapshotId: kept } }),
  );
  await untilSettled(() => storage.removeSnapshot(kept));
  expect(await layers()).toBe(3);
  await untilSettled(() => storage.removeVolume(volume));
  expect(await layers()).toBe(2);
  await untilSettled(() => storage.removeVolume(copy));
  expect(await layers()).toBe(0);
});

it('a snapshot that was cut off is finished after another one was taken, and the volume stays whole', async () => {
  const [volume, first, second, copy] = [newId(), newId(), newId(), newId()];
  await untilSettled(() => storage.ensureVolume({ id: volume, sizeGb: 1, source: { kind: 'empty' } }));
  await write(volume, 1);
  // Its record can't be written, so that it ends as by a crash before the last step.
  const obstacle = join(dataDir, 'engine/snapshots', `${first}.json.new`);
  await mkdir(obstacle);
  await expect(untilSettled(() => storage.ensureSnapshot({ id: first, volumeId: volume }))).rejects.toThrow('EISDIR');
  await rmdir(obstacle);
  await write(volume, 2);
  await untilSettled(() => storage.ensureSnapshot({ id: second, volumeId: volume }));
  await write(volume, 3);
  await untilSettled(() => storage.ensureSnapshot({ id: first, volumeId: volume }));
  await verify(volume, 3);
  for (const [snapshotId, byte] of [
    [first, 1],
    [second, 2],
  ] as const) {
    await untilSettled(() => storage.ensureVolume({ id: copy, sizeGb: 1, source: { kind: 'snapshot', snapshotId } }));
    await verify(copy, byte);
    await untilSettled(() => storage.removeVolume(copy));
  }
  await untilSettled(() => storage.removeSnapshot(first));
  await untilSettled(() => storage.removeSnapshot(second));
  await verify(volume, 3);
  await untilSettled(() => storage.removeVolume(volume));
  expect(await layers()).toBe(0);
});

it('a snapshot’s bytes become an image, and an interrupted reader leaves nothing', async () => {
  const [volume, snapshot, image, copy] = [newId(), newId(), newId(), newId()];
  await untilSettled(() => storage.ensureVolume({ id: volume, sizeGb: 1, source: { kind: 'empty' } }));
  await write(volume, 7);
  await untilSettled(() => storage.ensureSnapshot({ id: snapshot, volumeId: volume }));
  await write(volume, 8);

  const left = await untilSettled(() => storage.readSnapshot(snapshot));
  left.bytes.destroy();
  expect(await exports()).toEqual([]);

  const { bytes } = await untilSettled(() => storage.readSnapshot(snapshot));
  const { sha256 } = await images.receiveImage(image, bytes);
  const imported = await untilSettled(() => images.importImage(image, 'QCOW2'));
  expect(imported.image).toMatchObject({ sha256, virtualSizeBytes: 1024 ** 3 });
  await untilSettled(() => storage.ensureVolume({ id: copy, sizeGb: 1, source: { kind: 'image', imageId: image } }));
  await verify(copy, 7);
  expect(await exports()).toEqual([]);

  for (const id of [volume, copy]) await untilSettled(() => storage.removeVolume(id));
  await untilSettled(() => storage.removeSnapshot(snapshot));
  await expect(untilSettled(() => storage.readSnapshot(snapshot))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await untilSettled(() => images.removeImage(image));
  expect(await layers()).toBe(0);
});
