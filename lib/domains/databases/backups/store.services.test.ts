import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { accountOf } from '@/lib/domains/objects/external/accounts';
import { findBucket, listBuckets } from '@/lib/domains/objects/external/admin';
import { platformBucket } from '@/lib/domains/objects/external/platform-bucket';
import { ask } from '@/lib/domains/objects/external/store';
import { forgetSettings, ownCell, settings } from '@/lib/settings';
import { type BackupWorld, startBackupWorld } from '@/lib/testing/backup-world';
import { noCeph, startOutsideStore } from '@/lib/testing/ceph';
import { testDatabase } from '@/lib/testing/database';
import { databaseTrouble } from '@/lib/testing/database-world';
import { connectValkey } from '@/lib/testing/valkey-connection';
import { BucketStore, baseKey, FolderStore, MovedStore, storeOf } from './store';
import { keepBackups } from './work';

/** What backups of databases are promised by their stores: a folder of the host, and a bucket of Debian's Ceph. */

testDatabase();
const folder = mkdtempSync(join(tmpdir(), 'nephele-store-'));
const stores = [
  { name: 'a folder', missing: '', store: new FolderStore(join(folder, 'own')) },
  { name: 'a bucket', missing: noCeph, store: new BucketStore(() => platformBucket('nephele-test'), 'cluster/') },
];
let stopCeph: (() => Promise<void>) | undefined;
beforeAll(async () => {
  if (noCeph) return;
  stopCeph = (await startOutsideStore()).stop;
}, 180_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stopCeph?.();
});

const MB = 1024 ** 2;

describe.each(stores)('$name', ({ missing, store }) => {
  describe.skipIf(missing !== '')(`as a store of backups${missing && ` (skipped: ${missing})`}`, () => {
    const read = async (key: string) => buffer(await store.read(key));

    test.each([0, 1_000, 40 * MB])(
      'keeps an object of %d bytes as it is, and replaces it',
      async (size) => {
        const content = randomBytes(size);
        const pieces = Array.from({ length: Math.ceil(size / 100_000) }, (_, n) =>
          content.subarray(n * 100_000, (n + 1) * 100_000),
        );
        expect(await store.write('base/one', Readable.from(pieces))).toBe(size);
        expect((await read('base/one')).equals(content)).toBe(true);
        expect(await store.write('base/one', Readable.from([Buffer.from('later')]))).toBe(5);
        expect(String(await read('base/one'))).toBe('later');
        await store.remove('base/one');
      },
      60_000,
    );

    test.each([10, 40 * MB])(
      'puts nothing in when the content fails after %d bytes',
      async (size) => {
        await store.write('base/kept', Readable.from([Buffer.from('before')]));
        const failing = () =>
          Readable.from(
            (async function* () {
              yield Buffer.alloc(size);
              throw new Error('the member ended');
            })(),
          );
        await expect(store.write('base/kept', failing())).rejects.toThrow('the member ended');
        await expect(store.write('base/never', failing())).rejects.toThrow('the member ended');
        expect(String(await read('base/kept'))).toBe('before');
        expect(await store.has('base/never')).toBe(false);
        expect(await store.list('base/')).toEqual([{ key: 'base/kept', bytes: 6 }]);
        await store.remove('base/kept');
      },
      60_000,
    );

    test('fails to read what is missing, and ignores its removal', async () => {
      expect(await store.has('base/none')).toBe(false);
      await expect(store.read('base/none')).rejects.toThrow();
      await store.remove('base/none');
      await store.remove('none/');
      expect(await store.list('none/')).toEqual([]);
    });

    test('lists a log of any length in order, and removes all of it', async () => {
      const keys = Array.from({ length: 1_100 }, (_, n) => `wal/1/${String(n).padStart(4, '0')}.gz`);
      for (let begin = 0; begin < keys.length; begin += 50)
        await Promise.all(
          keys.slice(begin, begin + 50).map((key) => store.write(key, Readable.from([Buffer.from(key)]))),
        );
      await store.write('wal/10/other.gz', Readable.from([Buffer.from('x')]));
      const found = await store.list('wal/1/');
      expect(found).toEqual(keys.map((key) => ({ key, bytes: key.length })));
      await store.remove('wal/1/');
      expect(await store.list('wal/1/')).toEqual([]);
      expect(await store.has('wal/10/other.gz')).toBe(true);
      await store.remove('wal/');
    }, 120_000);
  });
});

test('after a move, objects in the former folder can still be read, listed and removed', async () => {
  const [present, former] = [new FolderStore(join(folder, 'new')), new FolderStore(join(folder, 'old'))];
  await former.write('wal/1/a', Readable.from([Buffer.from('old')]));
  await former.write('wal/1/c', Readable.from([Buffer.from('old')]));
  const moved = new MovedStore(present, former);
  await moved.write('wal/1/b', Readable.from([Buffer.from('newer')]));
  await moved.write('wal/1/c', Readable.from([Buffer.from('newer')]));
  expect(await moved.list('wal/1/')).toEqual([
    { key: 'wal/1/a', bytes: 3 },
    { key: 'wal/1/b', bytes: 5 },
    { key: 'wal/1/c', bytes: 5 },
  ]);
  const texts = ['a', 'b', 'c'].map(async (name) => String(await buffer(await moved.read(`wal/1/${name}`))));
  expect(await Promise.all(texts)).toEqual(['old', 'newer', 'newer']);
  expect([await moved.has('wal/1/a'), await former.has('wal/1/b')]).toEqual([true, false]);
  await moved.remove('wal/1/');
  expect([await present.list('wal/1/'), await former.list('wal/1/')]).toEqual([[], []]);
});

describe.skipIf(noCeph !== '')(`the platform’s bucket in Ceph${noCeph && ` (skipped: ${noCeph})`}`, () => {
  test('is its own where a tenant has taken the name, and stays the same', async () => {
    const stranger = await accountOf('stranger');
    await ask(stranger, { method: 'PUT', path: '/nephele-taken' });
    const own = await platformBucket('nephele-taken');
    await own.put('secret', Readable.from([Buffer.from('x')]));
    expect((await listBuckets('nephele-platform')).map(({ name }) => name)).toContain('nephele-taken-2');
    await ask(stranger, { method: 'DELETE', path: '/nephele-taken' });
    expect(await (await platformBucket('nephele-taken')).has('secret')).toBe(true);
    expect(await findBucket('nephele-taken')).toBeUndefined();
    const looked = ask(stranger, { method: 'GET', path: '/nephele-taken-2/secret' });
    await expect(looked).rejects.toMatchObject({ code: 'AccessDenied' });
  });

  test('makes an end of uploads that nobody finishes', async () => {
    await platformBucket('nephele-test');
    const { body } = await ask(await accountOf('nephele-platform'), {
      method: 'GET',
      path: '/nephele-test',
      query: { lifecycle: '' },
    });
    expect(body).toMatch(/<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</);
  });
});

const trouble = noCeph || (await databaseTrouble(['9.1'], 'valkey'));
describe.skipIf(Boolean(trouble))(`a cluster beside an outside store${trouble ? ` (skipped: ${trouble})` : ''}`, () => {
  let shop: BackupWorld | undefined;
  afterAll(() => shop?.stop(), 120_000);

  test('has its backups there, restored and verified from there, and none on its host', async () => {
    shop = await startBackupWorld('valkey', { name: 'shop' });
    const client = await connectValkey(shop.world, shop.cluster);
    await client.run(['SET', 'kept', 'value']);
    const backup = await shop.backUp();
    expect(backup.location).toBe('object_storage');
    expect(existsSync(join(settings().dataDir, 'backups', 'databases', shop.cluster.id))).toBe(false);
    const store = storeOf(shop.cluster.id);
    expect(await store.list('base/')).toEqual([{ key: baseKey(backup.id), bytes: backup.size_bytes }]);
    await client.run(['FLUSHALL']);
    client.end();
    await keepBackups(ownCell());
    const verified = { id: backup.id, verified_at: expect.any(String) };
    await vi.waitFor(async () => expect(await shop?.backups()).toContainEqual(expect.objectContaining(verified)), {
      timeout: 120_000,
      interval: 200,
    });
    const restored = await shop.restore({ name: 'again', instances: 1, restore: { backup_id: backup.id } });
    const other = await connectValkey(shop.world, restored);
    expect(await other.run(['GET', 'kept'])).toEqual(['value']);
    other.end();

    process.env.S3_ENGINE = 'local';
    forgetSettings();
    const body = { name: 'third', storage_gb: 1, vcpus: 1, ram_gb: 0.5, restore: { backup_id: backup.id } };
    const answer = await shop.world.call('POST', '/dbaas/valkey', { ...shop.world.as, body });
    process.env.S3_ENGINE = 'external';
    forgetSettings();
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('S3_ENGINE=external')]);

    expect((await shop.world.call('DELETE', `/dbaas/backups/${backup.id}`, shop.world.as)).status).toBe(202);
    await vi.waitFor(async () => expect(await store.list('base/')).toEqual([]), { timeout: 60_000, interval: 200 });
  }, 400_000);
});
