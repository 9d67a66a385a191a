import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/lib/db/id';
import { inGuest, type Subject, smallInstance } from '../contract/subject';
import { testHere } from './test-subject';

const GUEST_MS = 180_000;
const MIB = 1024 ** 2;

/** What keeps a guest within its bounds, as its host sees it; told by the kernel, not by the engine. */
function confinement(name: string, prepare: () => Promise<Subject>): void {
  describe(`a guest's bounds: ${name}`, { timeout: GUEST_MS }, () => {
    const tiny = newId();
    const limits = { iops: 100_000, bytesPerSecond: 8 * MIB };
    const spec = smallInstance(tiny, { vcpus: 2, ramMb: 128, diskLimits: limits });
    let subject: Subject;
    let pid: number;

    beforeAll(async () => {
      subject = await prepare();
      await subject.engine.images.buildTinyImage(tiny);
      await subject.engine.compute.ensureInstance(spec);
      pid = processOf(spec.id);
    }, GUEST_MS);
    afterAll(async () => {
      await subject.engine.compute.removeInstance(spec.id);
      await subject.engine.images.removeImage(tiny);
      expect(await subject.leftovers()).toEqual([]);
    }, GUEST_MS);

    const guest = (command: string) => inGuest(subject.engine.compute, spec.id, (shell) => shell.eventually(command));

    test('its process has a user of its own, no capability, no way to gain one, and few system calls', () => {
      const threads = readdirSync(`/proc/${pid}/task`);
      expect(threads.length).toBeGreaterThan(2);
      for (const thread of threads) {
        const status = statusOf(`/proc/${pid}/task/${thread}/status`);
        for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(status[set]).toBe('0000000000000000');
        expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2' });
        if (process.getuid?.() !== 0) continue;
        const [real, ...others] = status.Uid?.split('\t') ?? [];
        expect(Number(real)).toBeGreaterThanOrEqual(0x70000000);
        expect(new Set(others)).toEqual(new Set([real]));
        expect(status).toMatchObject({ CapBnd: '0000000000000000', Groups: '' });
      }
    });

    test.runIf(process.getuid?.() === 0)('all of it shares the processors by its vCPUs', async () => {
      const group = new Set(readdirSync(`/proc/${pid}/task`).map((thread) => cpuGroupOf(`${pid}/task/${thread}`)));
      const [path = ''] = group;
      expect([...group]).toEqual([expect.stringContaining(spec.id)]);
      const weight = [`/sys/fs/cgroup/cpu${path}/cpu.shares`, `/sys/fs/cgroup${path}/cpu.weight`].map(read);
      expect(weight.filter(Boolean)).toEqual([expect.stringMatching(/^(2048|200)$/)]);
      expect(await guest('nproc')).toBe('2');
    });

    test('it has the memory that it was promised, and its host no more than that and what was set aside', async () => {
      expect(Number(await guest("sed -n 's/MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo"))).toBeLessThan(128 * 1024);
      await guest('mount -t tmpfs -o size=40m tmpfs /mnt && dd if=/dev/zero of=/mnt/full bs=1M count=30 2>&1');
      const { memoryMb } = await subject.engine.compute.capacity();
      const mostMb = Number.parseInt(statusOf(`/proc/${pid}/status`).VmHWM ?? '', 10) / 1024;
      expect(mostMb).toBeGreaterThan(30);
      expect(mostMb).toBeLessThan(spec.ramMb + memoryMb.overhead);
    });

    test('it writes no faster than its disk allows', async () => {
      // What was written up to here may have used some of the first second's worth.
      const [bytes, begun] = [40 * MIB, Date.now()];
      await guest(`dd if=/dev/zero of=/root/file bs=${MIB} count=${bytes / MIB} conv=fsync 2>&1`);
      expect(Date.now() - begun).toBeGreaterThan(((bytes - limits.bytesPerSecond) / limits.bytesPerSecond) * 1000);
    });
  });
}

/** The process that says of itself, by its arguments, that it is this instance's machine. */
function processOf(id: string): number {
  const found = readdirSync('/proc').filter(
    (name) =>
      /^\d+$/.test(name) && read(`/proc/${name}/cmdline`).startsWith(`qemu-system-x86_64\0-name\0nephele-${id}`),
  );
  expect(found).toHaveLength(1);
  return Number(found[0]);
}

const statusOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(':').map((part) => part.trim())),
  );

/** The path of a process's group in the hierarchy of processors, old or unified. */
const cpuGroupOf = (of: string) => /^\d+:(?:cpu[^:]*|):(.*-.*)$/m.exec(read(`/proc/${of}/cgroup`))?.[1] ?? '';

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1').trim();
  } catch {
    return '';
  }
}

await testHere(confinement);
