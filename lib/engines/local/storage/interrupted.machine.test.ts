import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { InstanceSpec } from '@/lib/domains/compute/engine';
import { inGuest, type Subject, settleInstance, smallInstance } from '../../contract/subject';
import { untilSettled } from '../../until-settled';
import { machinePid, testHere } from '../test-subject';
import { chainsInTurn } from './layers';

const GUEST_MS = 180_000;

/** What becomes of a volume when things happen to its guest while it is being changed. */
function interrupted(name: string, prepare: () => Promise<Subject>): void {
  describe(`volumes of guests that do not play along: ${name}`, { timeout: GUEST_MS }, () => {
    const [tiny, data] = [newId(), newId()];
    let subject: Subject;
    let spec: InstanceSpec;

    const storage = () => subject.engine.storage;
    const guest = (command: string) => inGuest(subject.engine.compute, spec.id, (shell) => shell.eventually(command));
    const mounted = (device: string, command: string) =>
      guest(`mount -t ext4 ${device} /mnt && { ${command}; sync; umount /mnt; }`);

    beforeAll(async () => {
      subject = await prepare();
      await untilSettled(() => subject.engine.images.buildTinyImage(tiny));
      spec = smallInstance(tiny, { volumeIds: [data], shutdownSeconds: 30 });
      await untilSettled(() => storage().ensureVolume({ id: data, sizeGb: 1, source: { kind: 'empty' } }));
      await settleInstance(subject.engine.compute, spec);
      await guest('test -b /dev/sda && mke2fs -q /dev/sda 2>&1');
    }, GUEST_MS);
    afterAll(async () => {
      await subject.engine.compute.removeInstance(spec.id);
      const { volumes, snapshots } = await storage().observeStorage();
      for (const { id } of snapshots) await untilSettled(() => storage().removeSnapshot(id));
      for (const { id } of volumes) await untilSettled(() => storage().removeVolume(id));
      await untilSettled(() => subject.engine.images.removeImage(tiny));
      expect(await subject.leftovers()).toEqual([]);
    }, GUEST_MS);

    test('a snapshot that a hanging guest held up is taken later, also after another one; nothing written is lost', async () => {
      const [first, second, third] = [newId(), newId(), newId()];
      await mounted('/dev/sda', 'echo before > /mnt/file');
      process.kill(machinePid(spec.id), 'SIGSTOP');
      await expect(untilSettled(() => storage().ensureSnapshot({ id: first, volumeId: data }))).rejects.toMatchObject({
        code: 'ENGINE_ERROR',
      });
      process.kill(machinePid(spec.id), 'SIGCONT');
      await mounted('/dev/sda', 'echo meanwhile > /mnt/file');
      await untilSettled(() => storage().ensureSnapshot({ id: second, volumeId: data }));
      await untilSettled(() => storage().ensureSnapshot({ id: first, volumeId: data }));
      await mounted('/dev/sda', 'echo after > /mnt/file');
      await untilSettled(() => storage().ensureSnapshot({ id: third, volumeId: data }));
      for (const [snapshotId, content] of [
        [first, 'meanwhile'],
        [second, 'meanwhile'],
        [third, 'after'],
      ] as const) {
        const copy = newId();
        await untilSettled(() =>
          storage().ensureVolume({ id: copy, sizeGb: 1, source: { kind: 'snapshot', snapshotId } }),
        );
        await untilSettled(() => storage().attachVolume(copy, spec.id));
        await guest('test -b /dev/sdb');
        expect(await mounted('/dev/sdb', 'cat /mnt/file')).toBe(content);
        await untilSettled(() => storage().detachVolume(copy, spec.id));
        await untilSettled(() => storage().removeVolume(copy));
      }
      // What is on disk is what the guest wrote, under whatever head it comes up with.
      await settleInstance(subject.engine.compute, { ...spec, power: 'stopped' });
      await settleInstance(subject.engine.compute, spec);
      expect(await mounted('/dev/sda', 'cat /mnt/file')).toBe('after');
      for (const id of [second, first, third]) await untilSettled(() => storage().removeSnapshot(id));
      expect(await mounted('/dev/sda', 'cat /mnt/file')).toBe('after');
    });

    test('a machine that hangs refuses every change of its volumes within seconds, and takes it once it responds', async () => {
      const other = newId();
      await untilSettled(() => storage().ensureVolume({ id: other, sizeGb: 1, source: { kind: 'empty' } }));
      const hangs = { code: 'ENGINE_ERROR', message: expect.stringMatching(/^The machine does not respond/) };
      process.kill(machinePid(spec.id), 'SIGSTOP');
      const begun = Date.now();
      await expect(untilSettled(() => storage().attachVolume(other, spec.id))).rejects.toMatchObject(hangs);
      await expect(untilSettled(() => storage().detachVolume(data, spec.id))).rejects.toMatchObject(hangs);
      await expect(
        untilSettled(() => storage().ensureVolume({ id: data, sizeGb: 2, source: { kind: 'empty' } })),
      ).rejects.toMatchObject(hangs);
      expect(Date.now() - begun).toBeLessThan(60_000);
      process.kill(machinePid(spec.id), 'SIGCONT');
      await untilSettled(() => storage().ensureVolume({ id: data, sizeGb: 2, source: { kind: 'empty' } }));
      await untilSettled(() => storage().attachVolume(other, spec.id));
      await guest('test -b /dev/sdb');
      const held = (await storage().observeStorage()).volumes.map(({ id, attachedTo, sizeGb }) => ({
        id,
        attachedTo,
        sizeGb,
      }));
      expect(held).toContainEqual({ id: data, attachedTo: spec.id, sizeGb: 2 });
      expect(held).toContainEqual({ id: other, attachedTo: spec.id, sizeGb: 1 });
      await untilSettled(() => storage().detachVolume(other, spec.id));
      await untilSettled(() => storage().removeVolume(other));
    });

    test('a guest that starts gets its volumes when nobody else is at work on one', async () => {
      await settleInstance(subject.engine.compute, { ...spec, power: 'stopped' });
      const directory = subject.folder;
      let finish = () => {};
      const atWork = chainsInTurn({ directory }, () => new Promise<void>((resolve) => (finish = resolve)));
      const starting = settleInstance(subject.engine.compute, spec);
      await expect
        .poll(() => guest('ls /sys/block').catch(() => 'not yet there'), { timeout: GUEST_MS })
        .toContain('vda');
      expect(await guest('ls /sys/block')).not.toContain('sda');
      finish();
      await atWork;
      await starting;
      expect(await mounted('/dev/sda', 'cat /mnt/file')).toBe('after');
    });
  });
}

await testHere(interrupted);
