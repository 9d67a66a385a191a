import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { InstanceSpec } from '@/lib/domains/compute/engine';
import { untilSettled } from '../../until-settled';
import { GuestShell } from '../guest-shell';
import { type Subject, settleInstance, smallInstance } from '../subject';

const GUEST_MS = 180_000;
const EMPTY = { kind: 'empty' } as const;

/** The contract of every storage engine, seen from inside a guest. */
export function storageSemantics(name: string, prepare: () => Promise<Subject>): void {
  describe(`storage engine: ${name}`, { timeout: GUEST_MS }, () => {
    let subject: Subject;
    let spec: InstanceSpec;
    let shell: GuestShell;
    const tiny = newId();
    const [data, copy, fromImage] = [newId(), newId(), newId()];
    const [first, second] = [newId(), newId()];

    const storage = () => subject.engine.storage;
    const volume = async (id: string) => (await storage().observeStorage()).volumes.find((found) => found.id === id);
    const reconnect = async () => {
      shell?.close();
      shell = await GuestShell.open(await subject.engine.compute.openConsole(spec.id, 'serial'));
    };
    const mounted = (device: string, command: string) =>
      shell.eventually(`mount -t ext4 ${device} /mnt && { ${command}; sync; umount /mnt; }`, 30_000);

    beforeAll(async () => {
      subject = await prepare();
      await untilSettled(() => subject.engine.images.buildTinyImage(tiny));
      spec = smallInstance(tiny);
      await settleInstance(subject.engine.compute, spec);
      await reconnect();
    }, GUEST_MS);

    afterAll(async () => {
      shell?.close();
      await subject.engine.compute.removeInstance(spec.id);
      const { volumes, snapshots } = await storage().observeStorage();
      for (const { id } of snapshots) await untilSettled(() => storage().removeSnapshot(id));
      for (const { id } of volumes) await untilSettled(() => storage().removeVolume(id));
      await untilSettled(() => subject.engine.images.removeImage(tiny));
      expect(await subject.leftovers()).toEqual([]);
    }, GUEST_MS);

    it('creates an empty volume that takes no space, and creating it again changes nothing', async () => {
      await untilSettled(() => storage().ensureVolume({ id: data, sizeGb: 1, source: EMPTY }));
      await untilSettled(() => storage().ensureVolume({ id: data, sizeGb: 1, source: EMPTY }));
      const found = await volume(data);
      expect(found).toMatchObject({ sizeGb: 1, attachedTo: null });
      expect(found?.allocatedBytes).toBeLessThan(4 * 1024 ** 2);
    });

    it('attaches to a running guest at once, under the volume’s own serial', async () => {
      await untilSettled(() => storage().attachVolume(data, spec.id));
      await untilSettled(() => storage().attachVolume(data, spec.id));
      await shell.eventually('test -b /dev/sda', 20_000);
      expect((await shell.run('strings /sys/block/sda/device/vpd_pg80')).output).toContain(data);
      expect((await shell.run('cat /sys/block/sda/size')).output).toBe(String(2 * 1024 ** 2));
      expect(await volume(data)).toMatchObject({ attachedTo: spec.id });
      await shell.run('mke2fs -q /dev/sda 2>&1');
      await mounted('/dev/sda', 'echo one > /mnt/file');
      const sample = await subject.engine.compute.sampleInstance(spec.id);
      expect(sample?.volumes).toEqual([{ id: data, disk: expect.any(Object) }]);
      expect(sample?.volumes[0]?.disk.writtenBytes).toBeGreaterThan(0);
    });

    it('refuses a second guest and removal while it is attached', async () => {
      await expect(untilSettled(() => storage().removeVolume(data))).rejects.toMatchObject({ code: 'IN_USE' });
    });

    it('grows while it is attached, and never shrinks', async () => {
      await untilSettled(() => storage().ensureVolume({ id: data, sizeGb: 2, source: EMPTY }));
      await shell.eventually(`test "$(cat /sys/block/sda/size)" = ${4 * 1024 ** 2}`, 20_000);
      await expect(
        untilSettled(() => storage().ensureVolume({ id: data, sizeGb: 1, source: EMPTY })),
      ).rejects.toMatchObject({
        code: 'INVALID',
      });
      expect(await volume(data)).toMatchObject({ sizeGb: 2 });
    });

    it('snapshots an attached volume without disturbing the guest', async () => {
      await untilSettled(() => storage().ensureSnapshot({ id: first, volumeId: data }));
      await untilSettled(() => storage().ensureSnapshot({ id: first, volumeId: data }));
      await mounted('/dev/sda', 'echo two > /mnt/file; cat /mnt/file');
      expect((await storage().observeStorage()).snapshots).toEqual([{ id: first, volumeId: data, sizeGb: 2 }]);
    });

    it('gives a volume created from a snapshot the content of that time', async () => {
      await untilSettled(() =>
        storage().ensureVolume({ id: copy, sizeGb: 2, source: { kind: 'snapshot', snapshotId: first } }),
      );
      await untilSettled(() => storage().attachVolume(copy, spec.id));
      await shell.eventually('test -b /dev/sdb', 20_000);
      expect(await mounted('/dev/sdb', 'cat /mnt/file')).toContain('one');
      expect(await mounted('/dev/sda', 'cat /mnt/file')).toContain('two');
      await mounted('/dev/sdb', 'echo three > /mnt/file');
      expect(await mounted('/dev/sda', 'cat /mnt/file')).toContain('two');
    });

    it('reattaches the volumes after the guest was off', async () => {
      await settleInstance(subject.engine.compute, {
        ...spec,
        volumeIds: [data, copy],
        power: 'stopped',
        shutdownSeconds: 30,
      });
      expect(await volume(data)).toMatchObject({ attachedTo: null });
      await settleInstance(subject.engine.compute, { ...spec, volumeIds: [data, copy] });
      await reconnect();
      await shell.eventually('test -b /dev/sdb', 20_000);
      const files = await Promise.all([volume(data), volume(copy)]);
      expect(files.map((found) => found?.attachedTo)).toEqual([spec.id, spec.id]);
    });

    it('detaches from a running guest, and snapshots and grows detached volumes', async () => {
      await untilSettled(() => storage().detachVolume(copy, spec.id));
      await untilSettled(() => storage().detachVolume(copy, spec.id));
      await shell.eventually('test "$(ls /sys/block | grep -c "^sd")" = 1', 20_000);
      expect(await volume(copy)).toMatchObject({ attachedTo: null });
      await untilSettled(() => storage().ensureSnapshot({ id: second, volumeId: copy }));
      await untilSettled(() => storage().ensureVolume({ id: copy, sizeGb: 3, source: EMPTY }));
      await untilSettled(() => storage().attachVolume(copy, spec.id));
      await shell.eventually(`grep -qx ${6 * 1024 ** 2} /sys/block/sd?/size`, 20_000);
    });

    it('keeps a volume intact, attached or not, while snapshots are created and removed', async () => {
      for (const round of [1, 2, 3]) {
        const passing = newId();
        await untilSettled(() => storage().ensureSnapshot({ id: passing, volumeId: data }));
        await mounted('/dev/sda', `echo round ${round} >> /mnt/file`);
        await untilSettled(() => storage().removeSnapshot(passing));
      }
      expect(await mounted('/dev/sda', 'cat /mnt/file')).toContain('two\nround 1\nround 2\nround 3');
      await untilSettled(() => storage().detachVolume(data, spec.id));
      const passing = newId();
      await untilSettled(() => storage().ensureSnapshot({ id: passing, volumeId: data }));
      await untilSettled(() => storage().removeSnapshot(passing));
      await untilSettled(() => storage().attachVolume(data, spec.id));
      await shell.eventually('test "$(ls /sys/block | grep -c "^sd")" = 2', 20_000);
      expect(
        await shell.eventually(`for d in /dev/sd?; do mount -t ext4 $d /mnt; cat /mnt/file; umount /mnt; done`),
      ).toContain('two\nround 1\nround 2\nround 3');
    });

    it('keeps a volume when the snapshot or volume that it was created from is removed', async () => {
      await untilSettled(() => storage().removeSnapshot(first));
      await untilSettled(() => storage().removeSnapshot(second));
      await untilSettled(() => storage().detachVolume(data, spec.id));
      await untilSettled(() => storage().removeVolume(data));
      const device = (await shell.run('basename $(ls -d /sys/block/sd?)')).output;
      expect(await mounted(`/dev/${device}`, 'cat /mnt/file')).toContain('three');
    });

    it('creates a volume from an image, and refuses one that is too small for its source', async () => {
      await untilSettled(() =>
        storage().ensureVolume({ id: fromImage, sizeGb: 1, source: { kind: 'image', imageId: tiny } }),
      );
      await untilSettled(() => storage().attachVolume(fromImage, spec.id));
      await shell.eventually('ls /dev/sd?2', 20_000);
      await expect(untilSettled(() => subject.engine.images.removeImage(tiny))).rejects.toMatchObject({
        code: 'IN_USE',
      });
      const unknown = { kind: 'snapshot', snapshotId: newId() } as const;
      await expect(
        untilSettled(() => storage().ensureVolume({ id: newId(), sizeGb: 1, source: unknown })),
      ).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });
  });
}
