import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { InstanceSpec, ObservedInstance } from '@/lib/domains/compute/engine';
import { untilSettled } from '../../until-settled';
import { inGuest, type Subject, settleInstance, smallInstance } from '../subject';

const GUEST_MS = 180_000;

/** The contract of every compute engine. The tests follow one guest's life, because each boot costs seconds. */
export function computeSemantics(name: string, prepare: () => Promise<Subject>): void {
  describe(`compute engine: ${name}`, { timeout: GUEST_MS }, () => {
    let subject: Subject;
    let spec: InstanceSpec;
    const tiny = newId();

    const ensure = (change: Partial<InstanceSpec>) => {
      spec = { ...spec, ...change };
      return settleInstance(subject.engine.compute, spec);
    };
    const reboot = (mode: 'soft' | 'hard', request = newId()) =>
      untilSettled(() => subject.engine.compute.rebootInstance(spec.id, mode, request));
    const observed = async (id = spec.id): Promise<ObservedInstance | undefined> =>
      (await subject.engine.compute.observeInstances()).find((instance) => instance.id === id);
    const guest = (command: string) =>
      inGuest(subject.engine.compute, spec.id, async (shell) => (await shell.run(command)).output);

    beforeAll(async () => {
      subject = await prepare();
      await untilSettled(() => subject.engine.images.buildTinyImage(tiny));
      const userData = '#!/bin/sh\necho once >> /root/runs\n';
      const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDn6+sBBxxLqNXxRMDZLj6YvBmGHPSpCuOJmUYgMCHsa someone@example';
      spec = smallInstance(tiny, { seed: { hostname: 'web-1', sshPublicKeys: [key], userData }, shutdownSeconds: 30 });
    }, GUEST_MS);

    afterAll(async () => {
      for (const { id } of await subject.engine.compute.observeInstances())
        await subject.engine.compute.removeInstance(id);
      await untilSettled(() => subject.engine.images.removeImage(tiny));
      expect(await subject.leftovers()).toEqual([]);
    }, GUEST_MS);

    it('boots a guest with its name, keys, script, memory and disk size', async () => {
      await ensure({ power: 'running' });
      await inGuest(subject.engine.compute, spec.id, async (shell) => {
        expect((await shell.run('hostname')).output).toBe('web-1');
        expect(await shell.eventually('cat /root/runs')).toBe('once');
        expect((await shell.run('cat /root/.ssh/authorized_keys')).output).toContain('someone@example');
        const kib = Number((await shell.run("sed -n 's/MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo")).output);
        expect(kib).toBeGreaterThan(48 * 1024);
        expect(kib).toBeLessThan(96 * 1024);
        await shell.eventually("df -m / | awk 'NR == 2 { exit !($2 > 800 && $2 < 1024) }'");
        await shell.run('echo kept > /root/file; sync');
      });
      expect(await observed()).toMatchObject({ power: 'running', fault: null, generation: 1 });
    });

    it('answers quickly while a guest boots; after a crash, callers wait until it is up, and a stop until it is off', async () => {
      const other = smallInstance(tiny);
      const { compute } = subject.engine;
      const begunAt = performance.now();
      expect(await compute.ensureInstance(other)).toMatchObject({ settled: false, waits_for: expect.any(String) });
      expect(performance.now() - begunAt).toBeLessThan(2_000);
      const isOn = async () => (await observed(other.id))?.startedAt != null;
      await expect.poll(isOn, { timeout: 60_000, interval: 50 }).toBe(true);
      await settleInstance(subject.restarted().compute, other);
      expect((await compute.consoleLog(other.id, 50)).output).toMatch(/^[^\n]*@[^\n]*[#$] /m);
      await compute.stopInstance(other.id);
      expect(await observed(other.id)).toMatchObject({ power: 'stopped', startedAt: null });
      await compute.removeInstance(other.id);
    });

    it('changes nothing when the desired state already exists', async () => {
      const before = await observed();
      await ensure({});
      expect((await observed())?.startedAt?.getTime()).toBeCloseTo(before?.startedAt?.getTime() ?? 0, -3);
    });

    it('is found, with consoles and log, by an engine without memory', async () => {
      const again = subject.restarted();
      expect((await again.compute.observeInstances()).map(({ id, power }) => ({ id, power }))).toEqual([
        { id: spec.id, power: 'running' },
      ]);
      const { output } = await again.compute.consoleLog(spec.id, 1000);
      expect(output).toContain('Linux version');
      expect((await again.compute.consoleLog(spec.id, 3)).output.split('\n').length).toBeLessThanOrEqual(4);
      expect((await again.compute.consoleLog(spec.id, 3)).truncated).toBe(true);
      const first = await again.compute.readConsole(spec.id, null, 20);
      const second = await again.compute.readConsole(spec.id, first.cursor, 10_000);
      const lines = [...first.lines, ...second.lines].map(({ message }) => message);
      expect([first.lines.length, lines.filter((line) => line.includes('Linux version')).length]).toEqual([20, 1]);
      const third = await again.compute.readConsole(spec.id, second.cursor, 10_000);
      expect(third).toMatchObject({ lines: [], dropped: 0, cursor: second.cursor });
    });

    it('measures the guest’s usage', async () => {
      const before = await subject.engine.compute.sampleInstance(spec.id);
      await guest('dd if=/dev/urandom of=/root/noise bs=1M count=2 conv=fsync 2>&1; rm /root/noise');
      const after = await subject.engine.compute.sampleInstance(spec.id);
      expect(after?.cpuSeconds).toBeGreaterThan(before?.cpuSeconds ?? Number.NaN);
      expect((after?.disk.writtenBytes ?? 0) - (before?.disk.writtenBytes ?? 0)).toBeGreaterThanOrEqual(2 * 1024 ** 2);
      expect(after?.memoryBytes).toBeGreaterThan(8 * 1024 ** 2);
    });

    it('pause stops the guest’s clock and unpause continues it', async () => {
      const uptime = async () => Number((await guest('cut -d " " -f 1 /proc/uptime')).trim()) * 1000;
      const [guestBefore, hostBefore] = [await uptime(), Date.now()];
      await ensure({ power: 'paused' });
      const pausedAt = Date.now();
      expect(await observed()).toMatchObject({ power: 'paused', fault: null });
      await expect.poll(() => Date.now() - pausedAt, { timeout: 10_000 }).toBeGreaterThan(4_000);
      const paused = Date.now() - pausedAt;
      await ensure({ power: 'running' });
      expect(await observed()).toMatchObject({ power: 'running', fault: null });
      const [guestAfter, hostAfter] = [await uptime(), Date.now()];
      expect(guestAfter - guestBefore).toBeLessThan(hostAfter - hostBefore - paused * 0.8);
      expect(await uptime()).toBeGreaterThan(guestAfter);
    });

    it('a soft reboot shuts the guest down in order and does not run its script again', async () => {
      await reboot('soft');
      expect(await guest('cat /root/file /root/runs')).toBe('kept\nonce');
      expect((await subject.engine.compute.consoleLog(spec.id, 2000)).output).toContain('reboot: Power down');
    });

    it('a hard reboot does not need the guest’s cooperation', async () => {
      await guest('trap "" TERM; sync; echo before > /run/before');
      await reboot('hard');
      expect(await guest('ls /run/before 2>&1')).toContain('No such file');
    });

    it('a reboot answers soon; repeated after a crash, it waits for the same boot and never reboots twice', async () => {
      await guest('echo before > /run/before');
      const request = newId();
      const boots = async () =>
        (await subject.engine.compute.consoleLog(spec.id, 10_000)).output.split('Linux version').length;
      const before = await boots();
      expect(await subject.engine.compute.rebootInstance(spec.id, 'hard', request)).toMatchObject({ settled: false });
      await expect.poll(boots, { timeout: 60_000 }).toBe(before + 1);
      const again = subject.restarted().compute;
      await untilSettled(() => again.rebootInstance(spec.id, 'hard', request));
      await guest('! test -e /run/before && echo after > /run/after');
      expect(await again.rebootInstance(spec.id, 'hard', request)).toMatchObject({ settled: true });
      expect(await guest('cat /run/after')).toBe('after');
    });

    it('stop presses the power button and frees the processor, and start finds the disk unchanged', async () => {
      await ensure({ power: 'stopped' });
      expect(await observed()).toMatchObject({ power: 'stopped', fault: null, startedAt: null });
      for (const kind of ['vnc', 'serial'] as const) {
        await expect(subject.engine.compute.openConsole(spec.id, kind)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      }
      expect(await subject.engine.compute.sampleInstance(spec.id)).toBeNull();
      await ensure({ power: 'running' });
      expect(await guest('cat /root/file')).toBe('kept');
    });

    it('distinguishes a guest that switched itself off from a lost one, and restarts both', async (context) => {
      await inGuest(subject.engine.compute, spec.id, (shell) => shell.run('poweroff')).catch(() => {});
      await expect.poll(observed, { timeout: 60_000 }).toMatchObject({ power: 'stopped', fault: 'guest_shutdown' });
      await ensure({ power: 'running' });
      expect(await guest('cat /root/file')).toBe('kept');
      if (!subject.powerFailure) return context.skip();
      subject.powerFailure(spec.id);
      await expect.poll(observed, { timeout: 30_000 }).toMatchObject({ power: 'stopped', fault: 'crashed' });
      await ensure({ power: 'running' });
      expect(await guest('cat /root/file')).toBe('kept');
    });

    it('a new generation is a new disk with a new first boot', async () => {
      await ensure({ disk: { ...spec.disk, generation: 2 } });
      await inGuest(subject.engine.compute, spec.id, async (shell) => {
        expect((await shell.run('ls /root/file')).status).not.toBe(0);
        expect(await shell.eventually('cat /root/runs')).toBe('once');
      });
      expect(await observed()).toMatchObject({ power: 'running', generation: 2 });
    });

    it('refuses what exceeds the host’s capacity, and allocates nothing', async () => {
      const { memoryMb } = await subject.engine.compute.capacity();
      const huge = smallInstance(tiny, { ramMb: Math.ceil(memoryMb.free) + 1024 });
      await expect(settleInstance(subject.engine.compute, huge)).rejects.toMatchObject({ code: 'CAPACITY_EXHAUSTED' });
      expect(await observed(huge.id)).toBeUndefined();
    });

    it('removal interrupts a start, and succeeds if nothing exists', async () => {
      const other = smallInstance(tiny);
      const starting = settleInstance(subject.engine.compute, other).catch(() => {});
      await expect.poll(() => observed(other.id), { timeout: 60_000 }).toBeDefined();
      await subject.engine.compute.removeInstance(other.id);
      await starting;
      expect(await observed(other.id)).toBeUndefined();
      subject.powerFailure?.(spec.id);
      await subject.engine.compute.removeInstance(spec.id);
      await subject.engine.compute.removeInstance(spec.id);
      expect(await observed()).toBeUndefined();
    });
  });
}
