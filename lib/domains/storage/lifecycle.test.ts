import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { startWorker, type Worker } from '@/lib/core/operations/worker';
import { type Engines, replaceEngines } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { openLocalEngine } from '@/lib/engines/local/local-engine';
import { untilSettled } from '@/lib/engines/until-settled';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { MemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { observeStorage } from './observer';
import { storageSteps } from './steps';

// Volumes are real files of the local engine; the guest that holds them is made up, and so is plugging them in.

testDatabase();
const call = api();
const dataDir = mkdtempSync(join(tmpdir(), 'neph-storage-'));
const local = openLocalEngine({ dataDir });
const plugged = new Map<string, string>();
let failure: EngineError | undefined;
/** Machines answer nothing, as one that is stuck in the kernel. */
let hangs = false;
/** While set, copying a volume does not end. */
let copies = false;
const unresponsive = () => new EngineError('ENGINE_ERROR', 'The machine does not respond.');
const fails = () => {
  if (failure) throw failure;
};
const storage: Engines['storage'] = {
  ensureVolume: async (spec) => {
    fails();
    return copies ? { settled: false, waits_for: 'Copying data', again_ms: 10 } : local.storage.ensureVolume(spec);
  },
  attachVolume: async (volumeId, instanceId) => {
    fails();
    if (hangs) throw unresponsive();
    plugged.set(volumeId, instanceId);
    return { settled: true };
  },
  detachVolume: async (volumeId) => {
    if (hangs) throw unresponsive();
    plugged.delete(volumeId);
    return { settled: true };
  },
  removeVolume: (id) => local.storage.removeVolume(id),
  ensureSnapshot: (snapshot) => local.storage.ensureSnapshot(snapshot),
  removeSnapshot: (id) => local.storage.removeSnapshot(id),
  readSnapshot: (id) => local.storage.readSnapshot(id),
  observeStorage: async () => {
    const { volumes, snapshots } = await local.storage.observeStorage();
    return { snapshots, volumes: volumes.map((volume) => ({ ...volume, attachedTo: plugged.get(volume.id) ?? null })) };
  },
};
let worker: Worker;
let acme: TestProject;

beforeAll(() => {
  replaceEngines({ ...new MemoryEngines(), storage, probe: async () => [] });
  worker = startWorker({ steps: storageSteps, jobs: [], backoff: () => 20 });
});
afterAll(async () => {
  await worker.stop();
  await rm(dataDir, { recursive: true });
});
beforeEach(async () => {
  failure = undefined;
  hangs = false;
  copies = false;
  await createCell(ownCell());
  acme = await createProject('acme');
});

const post = (path: string, body: object = {}) =>
  call('POST', `/storage/${path}`, { token: acme.users.member.token, body });
const read = async (path: string) => (await call('GET', `/storage/${path}`, { token: acme.users.reader.token })).body;
const remove = (path: string) => call('DELETE', `/storage/${path}`, { token: acme.users.member.token });
const becomes = (path: string, state: object) =>
  expect.poll(() => read(path), { timeout: 15_000, interval: 20 }).toMatchObject(state);
const isGone = (path: string) => becomes(path, { error: { code: 'RESOURCE_NOT_FOUND' } });
const seen = async (id: string) => (await storage.observeStorage()).volumes.find((volume) => volume.id === id);
const used = () =>
  queryOne(sql`SELECT volumes_used::float8 AS volumes, storage_tb_used::float8 AS storage_tb
    FROM project_accounts WHERE project_id = ${acme.id}::uuid`);
const ledger = () =>
  queryOne(sql`SELECT coalesce(sum(amount) FILTER (WHERE dimension = 'storage_tb'), 0)::float8 AS storage_tb
    FROM quota_ledger WHERE project_id = ${acme.id}::uuid`);
const reserved = async () => (await prisma().cell.findUniqueOrThrow({ where: { id: ownCell() } })).disk_gb_reserved;

async function available(body: object = {}): Promise<string> {
  const id = idOf(await post('volumes', { name: 'data', size_gb: 1, ...body }));
  await becomes(`volumes/${id}`, { status: 'available' });
  return id;
}

async function instance(): Promise<string> {
  const id = idOf(await launch(call, acme));
  await execute(sql`UPDATE instances SET status = 'active', task = NULL WHERE id = ${id}::uuid`);
  return id;
}

test('a long copy holds no worker, and its operation says what it waits for', async () => {
  copies = true;
  const id = idOf(await post('volumes', { name: 'data', size_gb: 1 }));
  const operation = () =>
    prisma().operation.findFirst({
      where: { resource_id: id },
      select: { stage: true, lease_owner: true, error: true },
    });
  const waiting = { stage: 'volume', lease_owner: null, error: 'Copying data' };
  await expect.poll(operation, { timeout: 10_000 }).toEqual(waiting);
  expect(await read(`volumes/${id}`)).toMatchObject({ status: 'creating', status_reason: null });
  copies = false;
  await becomes(`volumes/${id}`, { status: 'available' });
});

test('create, resize and delete: quota, room and files agree at the end', async () => {
  const before = await reserved();
  const id = await available({ size_gb: 1 });
  expect(await seen(id)).toMatchObject({ sizeGb: 1 });
  expect((await post(`volumes/${id}/resize`, { size_gb: 3 })).status).toBe(202);
  await becomes(`volumes/${id}`, { status: 'available', size_gb: 3 });
  expect(await seen(id)).toMatchObject({ sizeGb: 3 });
  expect([await used(), await reserved()]).toEqual([{ volumes: 1, storage_tb: 3 / 1024 }, before + 3]);
  expect(await prisma().device.count({ where: { id } })).toBe(1);
  await remove(`volumes/${id}`);
  await isGone(`volumes/${id}`);
  expect(await seen(id)).toBeUndefined();
  expect(await prisma().device.count({ where: { id } })).toBe(0);
  expect([await used(), await ledger(), await reserved()]).toEqual([
    { volumes: 0, storage_tb: 0 },
    { storage_tb: 0 },
    before,
  ]);
});

test('a snapshot outlives nothing it stands on, and what was made from it outlives the snapshot', async () => {
  const volume_id = await available({ size_gb: 2 });
  const snapshot_id = idOf(await post('snapshots', { name: 'now', volume_id }));
  await becomes(`snapshots/${snapshot_id}`, { status: 'available', size_gb: 2, volume_name: 'data' });
  const copy = await available({ name: 'copy', size_gb: 3, snapshot_id });
  expect(await read(`volumes/${copy}`)).toMatchObject({ snapshot_id });
  expect((await remove(`volumes/${volume_id}`)).status).toBe(409);
  expect((await remove(`snapshots/${snapshot_id}`)).status).toBe(202);
  await isGone(`snapshots/${snapshot_id}`);
  expect(await read(`volumes/${copy}`)).toMatchObject({ status: 'available', snapshot_id: null });
  await remove(`volumes/${volume_id}`);
  await isGone(`volumes/${volume_id}`);
  expect(await seen(copy)).toMatchObject({ sizeGb: 3 });
});

test('attach and detach, and both ends see it', async () => {
  const instance_id = await instance();
  const id = await available();
  await post(`volumes/${id}/attach`, { instance_id });
  await becomes(`volumes/${id}`, { status: 'in_use', attachments: [{ instance_id }] });
  expect(plugged.get(id)).toBe(instance_id);
  const token = acme.users.reader.token;
  expect((await call('GET', `/compute/instances/${instance_id}`, { token })).body).toMatchObject({ volume_ids: [id] });
  await post(`volumes/${id}/resize`, { size_gb: 2 });
  await becomes(`volumes/${id}`, { status: 'in_use', size_gb: 2 });
  await post(`volumes/${id}/detach`);
  await becomes(`volumes/${id}`, { status: 'available', attachments: [] });
  expect(plugged.has(id)).toBe(false);
});

describe('what fails', () => {
  test('an attach leaves the volume available, with the reason', async () => {
    const instance_id = await instance();
    const id = await available();
    failure = new EngineError('INVALID', 'No slot is free.');
    await post(`volumes/${id}/attach`, { instance_id });
    await becomes(`volumes/${id}`, {
      status: 'available',
      attachments: [],
      status_reason: 'The volume could not be attached: No slot is free.',
    });
  });

  test('an attach to a machine that hangs leaves the volume available, though it cannot be taken out either', async () => {
    const instance_id = await instance();
    const id = await available();
    hangs = true;
    await post(`volumes/${id}/attach`, { instance_id });
    await becomes(`volumes/${id}`, {
      status: 'available',
      attachments: [],
      status_reason: 'The volume could not be attached: The machine does not respond.',
    });
    hangs = false;
    expect((await post(`volumes/${id}/attach`, { instance_id })).status).toBe(202);
    await becomes(`volumes/${id}`, { status: 'in_use', status_reason: null });
  });

  test('a detach from a machine that hangs leaves the volume attached, with the reason, until it is tried again', async () => {
    const instance_id = await instance();
    const id = await available();
    await post(`volumes/${id}/attach`, { instance_id });
    await becomes(`volumes/${id}`, { status: 'in_use' });
    hangs = true;
    await post(`volumes/${id}/detach`);
    const reason = 'The volume could not be detached: The machine does not respond.';
    await becomes(`volumes/${id}`, { status: 'in_use', attachments: [{ instance_id }], status_reason: reason });
    hangs = false;
    expect((await post(`volumes/${id}/detach`)).status).toBe(202);
    await becomes(`volumes/${id}`, { status: 'available', attachments: [], status_reason: null });
  });

  test('a resize gives back what it claimed, and the size is what it was', async () => {
    const id = await available();
    const before = await reserved();
    failure = new EngineError('INVALID', 'It cannot grow.');
    await post(`volumes/${id}/resize`, { size_gb: 9 });
    await becomes(`volumes/${id}`, {
      status: 'available',
      size_gb: 1,
      status_reason: expect.stringMatching(/cannot grow/),
    });
    expect([await used(), await ledger(), await reserved()]).toEqual([
      { volumes: 1, storage_tb: 1 / 1024 },
      { storage_tb: 1 / 1024 },
      before,
    ]);
  });

  test('a create is in error with the reason, and holds its quota until it is deleted', async () => {
    failure = new EngineError('INVALID', 'It cannot be.');
    const id = idOf(await post('volumes', { name: 'bad', size_gb: 1 }));
    await becomes(`volumes/${id}`, { status: 'error', status_reason: 'It cannot be.' });
    expect(await used()).toMatchObject({ volumes: 1 });
    await remove(`volumes/${id}`);
    await isGone(`volumes/${id}`);
    expect(await used()).toEqual({ volumes: 0, storage_tb: 0 });
  });

  test('a full host lets a create wait, and a delete ends the waiting', async () => {
    failure = new EngineError('CAPACITY_EXHAUSTED', 'This host is full.');
    const id = idOf(await post('volumes', { name: 'late', size_gb: 1 }));
    await becomes(`volumes/${id}`, { status: 'creating', status_reason: 'This host is full.' });
    await remove(`volumes/${id}`);
    await isGone(`volumes/${id}`);
  });
});

describe('the observer', () => {
  test('puts a volume whose data is lost into error, and leaves all others alone', async () => {
    const [lost, well] = [await available(), await available()];
    await untilSettled(() => local.storage.removeVolume(lost));
    await observeStorage(ownCell());
    expect(await read(`volumes/${lost}`)).toMatchObject({
      status: 'error',
      status_reason: expect.stringMatching(/no longer on the host/),
    });
    expect(await read(`volumes/${well}`)).toMatchObject({ status: 'available', status_reason: null });
  });

  test('removes what a deletion left behind, and never what this database has not deleted', async () => {
    const id = await available();
    await remove(`volumes/${id}`);
    await isGone(`volumes/${id}`);
    const stranger = newId();
    for (const left of [id, stranger]) {
      await untilSettled(() => local.storage.ensureVolume({ id: left, sizeGb: 1, source: { kind: 'empty' } }));
    }
    await observeStorage(ownCell());
    expect([await seen(id), await seen(stranger)]).toMatchObject([undefined, { id: stranger }]);
  });

  test('takes a volume out of a guest that it is not attached to', async () => {
    const id = await available();
    plugged.set(id, await instance());
    await execute(sql`UPDATE operations SET status = 'cancelled' WHERE kind = 'instance.create'`);
    await observeStorage(ownCell());
    expect(plugged.has(id)).toBe(false);
  });

  /** An attached volume of a running instance, with nothing under way. */
  async function attached(): Promise<{ id: string; instance_id: string }> {
    const instance_id = await instance();
    await execute(sql`UPDATE operations SET status = 'cancelled' WHERE kind = 'instance.create'`);
    const id = await available();
    await post(`volumes/${id}/attach`, { instance_id });
    await becomes(`volumes/${id}`, { status: 'in_use' });
    return { id, instance_id };
  }

  test('plugs an attached volume into a running guest that lacks it, and out of one that has it wrongly', async () => {
    const lost = await attached();
    const astray = await attached();
    const stopped = await attached();
    plugged.delete(lost.id);
    plugged.set(astray.id, lost.instance_id);
    plugged.delete(stopped.id);
    await execute(sql`UPDATE instances SET status = 'stopped' WHERE id = ${stopped.instance_id}::uuid`);
    await observeStorage(ownCell());
    expect([lost, astray].map(({ id }) => plugged.get(id))).toEqual([lost.instance_id, astray.instance_id]);
    expect(plugged.has(stopped.id)).toBe(false);
  });

  test('says which volume a guest lacks while it cannot be plugged in, and goes on with the others', async () => {
    const { id, instance_id } = await attached();
    const stray = await available();
    plugged.delete(id);
    plugged.set(stray, instance_id);
    hangs = true;
    await observeStorage(ownCell());
    const status_reason = 'The running instance does not have this volume: The machine does not respond.';
    expect(await read(`volumes/${id}`)).toMatchObject({ status: 'in_use', status_reason });
    hangs = false;
    await observeStorage(ownCell());
    expect([plugged.get(id), plugged.has(stray)]).toEqual([instance_id, false]);
    expect(await read(`volumes/${id}`)).toMatchObject({ status: 'in_use', status_reason: null });
  });
});
