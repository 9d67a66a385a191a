import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { machinePid } from '../../local/test-subject';
import { untilSettled } from '../../until-settled';
import { inGuest, type Subject, settleInstance, smallInstance } from '../subject';

const GUEST_MS = 180_000;
const MIB = 1024 ** 2;

/** Tests that the local engine confines a guest, from the host's view: reported by the kernel, not by the engine. */
export const machineIsolation = (isRoot: boolean) => (name: string, prepare: () => Promise<Subject>) => {
  describe(`a guest's bounds: ${name}`, { timeout: GUEST_MS }, () => {
    const tiny = newId();
    const limits = { iops: 100_000, bytesPerSecond: 8 * MIB };
    const spec = smallInstance(tiny, { vcpus: 2, ramMb: 128, diskLimits: limits });
    let subject: Subject;
    let pid: number;

    beforeAll(async () => {
      subject = await prepare();
      await untilSettled(() => subject.engine.images.buildTinyImage(tiny));
      await settleInstance(subject.engine.compute, spec);
      pid = machinePid(spec.id);
    }, GUEST_MS);
    afterAll(async () => {
      await subject.engine.compute.removeInstance(spec.id);
      await untilSettled(() => subject.engine.images.removeImage(tiny));
      expect(await subject.leftovers()).toEqual([]);
    }, GUEST_MS);

    const guest = (command: string) => inGuest(subject.engine.compute, spec.id, (shell) => shell.eventually(command));

    test('its process has its own user, no capabilities, no way to gain any, and few system calls', () => {
      const threads = readdirSync(`/proc/${pid}/task`);
      expect(threads.length).toBeGreaterThan(2);
      for (const thread of threads) {
        const status = statusOf(`/proc/${pid}/task/${thread}/status`);
        for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(status[set]).toBe('0000000000000000');
        expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2' });
        if (!isRoot) continue;
        const [real, ...others] = status.Uid?.split('\t') ?? [];
        expect(Number(real)).toBeGreaterThanOrEqual(0x70000000);
        expect(new Set(others)).toEqual(new Set([real]));
        expect(status).toMatchObject({ CapBnd: '0000000000000000', Groups: '' });
      }
    });

    test.runIf(isRoot)('all of its processes share the processors by its vCPUs', async () => {
      const group = new Set(readdirSync(`/proc/${pid}/task`).map((thread) => groupOf(`${pid}/task/${thread}`, 'cpu')));
      const [path = ''] = group;
      expect([...group]).toEqual([expect.stringContaining(spec.id)]);
      const weight = [`/sys/fs/cgroup/cpu${path}/cpu.shares`, `/sys/fs/cgroup${path}/cpu.weight`].map(read);
      expect(weight.filter(Boolean)).toEqual([expect.stringMatching(/^(2048|200)$/)]);
      expect(await guest('nproc')).toBe('2');
    });

    test.runIf(isRoot)('its memory and its threads are limited by cgroups', () => {
      const limit = (kind: string, files: string[]) => {
        const path = groupOf(pid, kind);
        expect(path).toContain(spec.id);
        return Number(files.map((file) => read(join('/sys/fs/cgroup', file.replace('GROUP', path)))).find(Boolean));
      };
      const bytes = limit('memory', ['memory/GROUP/memory.limit_in_bytes', 'GROUP/memory.max']);
      expect(bytes).toBeGreaterThan(spec.ramMb * MIB);
      expect(bytes).toBeLessThanOrEqual((spec.ramMb + 512) * MIB);
      expect(limit('pids', ['pids/GROUP/pids.max', 'GROUP/pids.max'])).toBeLessThan(300);
    });

    test('it sees no process but itself, and of the host only programs and its own files', async () => {
      for (const kind of ['mnt', 'pid', 'net']) {
        expect(readlinkSync(`/proc/${pid}/ns/${kind}`)).not.toBe(readlinkSync(`/proc/self/ns/${kind}`));
      }
      const names = (path: string) => readdirSync(`/proc/${pid}/root${path}`);
      const dataDir = dirname(subject.folder);
      for (const path of ['/proc', '/.host', '/etc'])
        expect(names(path).filter((name) => name !== 'ld.so.cache')).toEqual([]);
      for (const path of ['/root', '/home', '/var', '/sys', '/run']) {
        if (!dataDir.startsWith(path)) expect(names('/')).not.toContain(path.slice(1));
      }
      expect(names('/dev').filter((name) => !['null', 'urandom', 'kvm', 'net'].includes(name))).toEqual([]);
      expect(names(`${dataDir}/engine`).toSorted()).toEqual(expect.arrayContaining(['images', 'instances', 'layers']));
      expect(names(`${dataDir}/engine/instances`)).toEqual([spec.id]);
      expect(() => names(`${dataDir}/keys`)).toThrow(/ENOENT/);
      expect(() => writeFileSync(`/proc/${pid}/root/usr/nephele-test`, '')).toThrow(/EROFS/);
      expect(() => writeFileSync(`/proc/${pid}/root/nephele-test`, '')).toThrow(/EROFS/);
    });

    test('it can open only its own images and volumes, and volumes only while attached', async () => {
      const { images, storage } = subject.engine;
      const [foreign, own, other] = [newId(), newId(), newId()];
      await untilSettled(() => images.buildTinyImage(foreign));
      await untilSettled(() =>
        storage.ensureVolume({ id: own, sizeGb: 1, source: { kind: 'image', imageId: foreign } }),
      );
      await untilSettled(() => storage.ensureVolume({ id: other, sizeGb: 1, source: { kind: 'empty' } }));
      const engine = subject.folder;
      const open = () =>
        ['images', 'layers'].flatMap((name) => readdirSync(`/proc/${pid}/root${engine}/${name}`)).toSorted();
      expect(open()).toEqual([`${tiny}.qcow2`]);
      await untilSettled(() => storage.attachVolume(own, spec.id));
      expect(open()).toEqual([`${tiny}.qcow2`, `${foreign}.qcow2`, `${own}.qcow2`].toSorted());
      expect(await guest('head -c 400 /dev/sda | md5sum')).toBe(await guest('head -c 400 /dev/vda | md5sum'));
      await untilSettled(() => storage.detachVolume(own, spec.id));
      expect(open()).toEqual([`${tiny}.qcow2`]);
      for (const id of [own, other]) await untilSettled(() => storage.removeVolume(id));
      await untilSettled(() => images.removeImage(foreign));
    });

    test('it has the promised memory, and uses no more of the host than that and the reserved overhead', async () => {
      expect(Number(await guest("sed -n 's/MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo"))).toBeLessThan(128 * 1024);
      await guest('mount -t tmpfs -o size=40m tmpfs /mnt && dd if=/dev/zero of=/mnt/full bs=1M count=30 2>&1');
      const { memoryMb } = await subject.engine.compute.capacity();
      const mostMb = Number.parseInt(statusOf(`/proc/${pid}/status`).VmHWM ?? '', 10) / 1024;
      expect(mostMb).toBeGreaterThan(30);
      expect(mostMb).toBeLessThan(spec.ramMb + memoryMb.overhead);
    });

    test('it writes no faster than its disk allows', async () => {
      // Earlier writes may have used some of the first second's budget.
      const [bytes, begun] = [40 * MIB, Date.now()];
      await guest(`dd if=/dev/zero of=/root/file bs=${MIB} count=${bytes / MIB} conv=fsync 2>&1`);
      expect(Date.now() - begun).toBeGreaterThan(((bytes - limits.bytesPerSecond) / limits.bytesPerSecond) * 1000);
    });

    test.runIf(isRoot)(
      'a guest started by an earlier release is adopted as it is, and sandboxed at its next start',
      async () => {
        const { storage, compute } = subject.engine;
        const volume = newId();
        await untilSettled(() => storage.ensureVolume({ id: volume, sizeGb: 1, source: { kind: 'empty' } }));
        const [argv, environment] = ['cmdline', 'environ'].map((file) =>
          read(`/proc/${pid}/${file}`).split('\0').filter(Boolean),
        );
        subject.powerFailure?.(spec.id);
        await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 20_000 }).toBe(false);
        rmSync(join(subject.folder, 'reach', spec.id), { recursive: true });
        const [user, group] = [statSync(join(subject.folder, 'instances', spec.id, 'seed.img'))].flatMap(
          ({ uid, gid }) => [uid, gid],
        );
        const bounds = [
          `--reuid=${user}`,
          `--regid=${group}`,
          '--clear-groups',
          '--bounding-set=-all',
          '--no-new-privs',
          '--',
        ];
        const env = Object.fromEntries(
          (environment ?? []).map((entry) => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]),
        );
        spawn('unshare', ['--net', '--', 'setpriv', ...bounds, ...(argv ?? [])], {
          detached: true,
          stdio: 'ignore',
          env: { ...env, NODE_ENV: 'production' },
        }).unref();
        const isOn = async () =>
          (await subject.restarted().compute.observeInstances()).map(({ power, fault }) => ({ power, fault }));
        await expect.poll(isOn, { timeout: 30_000 }).toEqual([{ power: 'running', fault: null }]);
        pid = machinePid(spec.id);
        expect(readlinkSync(`/proc/${pid}/ns/mnt`)).toBe(readlinkSync('/proc/self/ns/mnt'));
        await guest('uname');
        await untilSettled(() => storage.attachVolume(volume, spec.id));
        await guest('test -b /dev/sda');
        await untilSettled(() => storage.detachVolume(volume, spec.id));
        await untilSettled(() => storage.removeVolume(volume));
        await settleInstance(compute, spec);
        expect(machinePid(spec.id)).toBe(pid);
        await settleInstance(compute, { ...spec, power: 'stopped', shutdownSeconds: 0 });
        await settleInstance(compute, spec);
        pid = machinePid(spec.id);
        expect(readlinkSync(`/proc/${pid}/ns/mnt`)).not.toBe(readlinkSync('/proc/self/ns/mnt'));
        await guest('uname');
      },
    );
  });
};

const statusOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(':').map((part) => part.trim())),
  );

/** The path of a process's cgroup in the hierarchy with a controller, v1 or v2. */
const groupOf = (of: string | number, kind: string) =>
  new RegExp(`^\\d+:(?:${kind}[^:]*|):(.*-.*)$`, 'm').exec(read(`/proc/${of}/cgroup`))?.[1] ?? '';

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1').trim();
  } catch {
    return '';
  }
}
