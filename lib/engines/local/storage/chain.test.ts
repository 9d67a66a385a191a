import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { newId } from '@/lib/db/id';
import { openLocalEngine } from '../local-engine';

const dataDir = mkdtempSync(join(tmpdir(), 'neph-chain-'));
const { storage } = openLocalEngine({ dataDir });
const layers = async () => (await readdir(join(dataDir, 'engine/layers'))).length;
afterAll(() => rm(dataDir, { recursive: true }));

it('a chain is as long as the snapshots that exist, and gone with the last thing that needs it', async () => {
  const [volume, copy] = [newId(), newId()];
  await storage.ensureVolume({ id: volume, sizeGb: 1, source: { kind: 'empty' } });
  for (const id of [newId(), newId(), newId()]) {
    await storage.ensureSnapshot({ id, volumeId: volume });
    expect(await layers()).toBe(2);
    await storage.removeSnapshot(id);
    expect(await layers()).toBe(1);
  }
  const kept = newId();
  await storage.ensureSnapshot({ id: kept, volumeId: volume });
  await storage.ensureVolume({ id: copy, sizeGb: 1, source: { kind: 'snapshot', snapshotId: kept } });
  await storage.removeSnapshot(kept);
  expect(await layers()).toBe(3);
  await storage.removeVolume(volume);
  expect(await layers()).toBe(2);
  await storage.removeVolume(copy);
  expect(await layers()).toBe(0);
});
