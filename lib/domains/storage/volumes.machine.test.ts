import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { inGuest, type Subject } from '@/lib/engines/contract/subject';
import { testHere } from '@/lib/engines/local/test-subject';
import { testDatabase } from '@/lib/testing/database';
import { TINY_IMAGE } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { startRealHost } from '@/lib/testing/real-host';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();

const MINUTES_MS = 300_000;

/** From the API to disks in a guest that really runs, with everything of a worker in between. */
function endToEnd(name: string, prepare: () => Promise<Subject>): void {
  describe(`volumes and images end to end: ${name}`, { timeout: MINUTES_MS }, () => {
    const call = api();
    let subject: Subject;
    let acme: TestProject;
    let host: Awaited<ReturnType<typeof startRealHost>>;
    let instance_id: string;
    let data: string;
    let snapshot: string;
    let copy: string;

    beforeAll(async () => {
      subject = await prepare();
      acme = await createProject('acme');
      host = await startRealHost(subject);
    }, MINUTES_MS);
    afterAll(() => host.stop(), MINUTES_MS);

    const post = async (path: string, body: object = {}) => {
      const answer = await call('POST', path, { token: acme.users.member.token, body });
      expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([201, 202]), expect.anything()]);
      return idOf(answer);
    };
    const get = async (path: string) => (await call('GET', path, { token: acme.users.reader.token })).body;
    const remove = (path: string) => call('DELETE', path, { token: acme.users.member.token });
    const becomes = (path: string, state: object) =>
      expect.poll(() => get(path), { timeout: MINUTES_MS / 2 }).toMatchObject(state);
    const guest = (command: string) =>
      inGuest(subject.engine.compute, instance_id, (shell) => shell.eventually(command, 30_000));
    /** The device of a volume, found by its serial. */
    const device = (id: string) =>
      `$(for d in /sys/block/sd?; do strings $d/device/vpd_pg80 | grep -q ${id} && echo /dev/\${d##*/}; done)`;
    const mounted = (id: string, command: string) =>
      guest(`mount -t ext4 ${device(id)} /mnt && { ${command}; sync; umount /mnt; }`);

    async function volume(body: object): Promise<string> {
      const id = await post('/storage/volumes', body);
      await becomes(`/storage/volumes/${id}`, { status: 'available' });
      return id;
    }
    async function attach(id: string): Promise<void> {
      await post(`/storage/volumes/${id}/attach`, { instance_id });
      await becomes(`/storage/volumes/${id}`, { status: 'in_use' });
    }

    test('a volume appears in a running guest at once, and can be written', async () => {
      instance_id = idOf(await launch(call, acme));
      await becomes(`/compute/instances/${instance_id}`, { status: 'active' });
      data = await volume({ name: 'data', size_gb: 1 });
      await attach(data);
      await guest(`test -b ${device(data)} && mke2fs -q ${device(data)} 2>&1`);
      await mounted(data, 'echo one > /mnt/file');
    });

    test('it grows while the guest has it', async () => {
      await post(`/storage/volumes/${data}/resize`, { size_gb: 2 });
      await becomes(`/storage/volumes/${data}`, { status: 'in_use', size_gb: 2 });
      await guest(`test "$(cat /sys/block/$(basename ${device(data)})/size)" = ${4 * 1024 ** 2}`);
    });

    test('a snapshot of it holds what was, and a volume made from that has it', async () => {
      snapshot = await post('/storage/snapshots', { name: 'before', volume_id: data });
      await becomes(`/storage/snapshots/${snapshot}`, { status: 'available', size_gb: 2 });
      await mounted(data, 'echo two > /mnt/file');
      copy = await volume({ name: 'copy', size_gb: 2, snapshot_id: snapshot });
      await attach(copy);
      expect(await mounted(copy, 'cat /mnt/file')).toContain('one');
      expect(await mounted(data, 'cat /mnt/file')).toContain('two');
    });

    test('stopped and started again, the guest has its volumes; detached ones are gone from it', async () => {
      await post(`/compute/instances/${instance_id}/action`, { action: 'stop' });
      await becomes(`/compute/instances/${instance_id}`, { status: 'stopped', task: null });
      await post(`/storage/volumes/${copy}/detach`);
      await becomes(`/storage/volumes/${copy}`, { status: 'available' });
      await post(`/compute/instances/${instance_id}/action`, { action: 'start' });
      await becomes(`/compute/instances/${instance_id}`, { status: 'active', task: null });
      expect(await mounted(data, 'cat /mnt/file')).toContain('two');
      expect(await guest('ls /sys/block | grep -c "^sd"')).toBe('1');
      await post(`/storage/volumes/${data}/detach`);
      await becomes(`/storage/volumes/${data}`, { status: 'available' });
      await guest('test "$(ls /sys/block | grep -c "^sd")" = 0');
    });

    test('an uploaded image boots', async () => {
      const [tiny] = await subject.engine.images.observeImages();
      const headers = { 'Content-Type': 'application/octet-stream' };
      const body = await buffer(await subject.engine.images.readImage(tiny?.id ?? ''));
      const answer = await call('POST', '/images/images?name=mine&format=QCOW2', {
        token: acme.users.member.token,
        body,
        headers,
      });
      const image_id = idOf(answer);
      await becomes(`/images/images/${image_id}`, { status: 'active', checksum_sha256: tiny?.sha256 });
      const id = idOf(await launch(call, acme, { name: 'own', image_id }));
      await becomes(`/compute/instances/${id}`, { status: 'active' });
      expect((await remove(`/images/images/${image_id}`)).status).toBe(409);
      await remove(`/compute/instances/${id}`);
      await becomes(`/compute/instances/${id}`, { error: { code: 'RESOURCE_NOT_FOUND' } });
      expect((await remove(`/images/images/${image_id}`)).status).toBe(202);
      await becomes(`/images/images/${image_id}`, { error: { code: 'RESOURCE_NOT_FOUND' } });
    });

    test('deletes leave nothing on the host and nothing of the quota', async () => {
      await remove(`/storage/snapshots/${snapshot}`);
      await becomes(`/storage/snapshots/${snapshot}`, { error: { code: 'RESOURCE_NOT_FOUND' } });
      for (const path of [
        `/storage/volumes/${data}`,
        `/storage/volumes/${copy}`,
        `/compute/instances/${instance_id}`,
      ]) {
        expect((await remove(path)).status).toBe(202);
        await becomes(path, { error: { code: 'RESOURCE_NOT_FOUND' } });
      }
      expect(await get('/tenant/quota')).toMatchObject({ volumes: { used: 0 }, storage_tb: { used: 0 } });
      expect(await queryOne(sql`SELECT disk_gb_reserved FROM cells`)).toEqual({ disk_gb_reserved: 0 });
      // The socket behind the service address goes with the next look at the routers.
      const left = async () => (await subject.leftovers()).filter((path) => !path.includes(TINY_IMAGE));
      await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    });
  });
}

await testHere(endToEnd);
