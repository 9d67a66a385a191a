import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ServiceLimits, ServiceSpec } from '@/lib/hosts/services/engine';
import { settleService, shellService } from '../../contract/service-subject';
import { namesIn } from '../record';
import { Groups } from '../sandbox/groups';
import { waitFor } from '../turns';
import { SERVICES_WEIGHT, serviceGroups } from './bundle';
import { SERVICE_LIMITS, serviceLimits } from './limits';
import { testServicesHere } from './test-subject';

await testServicesHere(({ host, subject }) => {
  it('reports each limit as tried on this host, and leaves no trace of the trial', async () => {
    const limits = await serviceLimits(host);
    for (const { limit, ...kept } of limits.filter(({ limit }) => limit !== 'disk_bandwidth')) {
      expect(kept, limit).toEqual(SERVICE_LIMITS[limit][host.isolation]);
    }
    expect(await namesIn(`/sys/fs/cgroup/memory/nephele-${host.tag}-services`)).toEqual([]);
  });

  it('lets a service write its state folder no faster than its limit, and another one as fast as the disk', {
    timeout: 120_000,
  }, async ({ skip }) => {
    skip((await serviceGroups(host).diskVersion()) === null, 'this host cannot limit disk bandwidth');
    const { services, shell } = subject;
    const box = (change: Partial<ServiceLimits>) =>
      shellService(subject, 'while true; do sleep 1000; done', {
        state: { sizeMb: 64 },
        limits: { cpuMillis: 1000, memoryMb: 64, processes: 32, openFiles: 256, ...change },
        stopSeconds: 0.2,
      });
    const [slow, free] = [box({ diskMbPerSecond: 2 }), box({})];
    const seconds = async ({ id }: ServiceSpec) => {
      const began = performance.now();
      const write = 'dd if=/dev/zero of=/state/file bs=1M count=8 conv=fsync';
      expect((await services.runInside(id, [...shell.argv, write])).code).toBe(0);
      return (performance.now() - began) / 1000;
    };
    try {
      for (const spec of [slow, free]) await settleService(services, spec);
      expect(await seconds(slow)).toBeGreaterThan(3);
      expect(await seconds(free)).toBeLessThan(3);
    } finally {
      for (const { id } of [slow, free]) await services.removeService(id);
    }
  });

  it.skipIf(userInfo().uid !== 0)(
    'a state folder grows once nothing else has its file system in use',
    {
      timeout: 60_000,
    },
    async () => {
      const { services, shell } = subject;
      const small = shellService(subject, 'while true; do sleep 1000; done', {
        state: { sizeMb: 64 },
        stopSeconds: 0.2,
      });
      await settleService(services, small);
      // It has a copy of all mounts, like a container that is about to start.
      const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sleep', '1000'], { stdio: 'ignore' });
      const ended = once(holder, 'exit');
      try {
        const space = (pid: number | 'self' | undefined) => readlinkSync(`/proc/${pid}/ns/mnt`);
        await waitFor(async () => space(holder.pid) !== space('self'), { timeoutMs: 10_000, everyMs: 10 });
        const growing = settleService(services, { ...small, state: { sizeMb: 128 } });
        // A host that grows file systems in use has done so at once. Another one would find it as it was, if it did not wait.
        const isMounted = async () => (await readFile('/proc/self/mountinfo', 'utf8')).includes(small.id);
        await Promise.race([growing, waitFor(async () => !(await isMounted()), { timeoutMs: 20_000, everyMs: 5 })]);
        await Promise.race([growing, waitFor(isMounted, { timeoutMs: 1_000, everyMs: 50 })]);
        holder.kill('SIGKILL');
        await growing;
        const write = 'dd if=/dev/zero of=/state/file bs=1M count=80';
        expect((await services.runInside(small.id, [...shell.argv, write])).code).toBe(0);
      } finally {
        holder.kill('SIGKILL');
        await ended;
        await services.removeService(small.id);
      }
    },
  );

  it.skipIf(userInfo().uid !== 0)(
    'all services together weigh as much as the processors that they may fill',
    async () => {
      const { services } = subject;
      const box = shellService(subject, 'while true; do sleep 1000; done', { stopSeconds: 0.2 });
      await settleService(services, box);
      const folders = await serviceGroups(host).folders();
      const weights = await Promise.all(
        ['cpu.shares', 'cpu.weight'].flatMap((file) =>
          folders.map((folder) => readFile(join(folder, file), 'utf8').then(Number, () => null)),
        ),
      );
      await services.removeService(box.id);
      const [v1, v2] = [1024 * SERVICES_WEIGHT, 100 * SERVICES_WEIGHT];
      expect(weights.filter((weight) => weight === v1 || weight === v2)).toHaveLength(1);
    },
  );

  it.skipIf(userInfo().uid !== 0)('finds out by exceeding them which limits the kernel holds a group to', async () => {
    const groups = serviceGroups(host);
    const held = await groups.held();
    expect(held.toSorted()).toEqual((await groups.kinds()).toSorted());
  });

  it.skipIf(userInfo().uid !== 0)('removes what a process that was killed during its trial left', async () => {
    const parent = `nephele-${host.tag}-killed`;
    const groups = new Groups(parent);
    // Above the largest pid that Linux gives.
    await groups.command('trial4194305', { cpuWeight: 1, memoryBytes: 16 * 1024 ** 2, processes: 4 });
    expect(await groups.folders()).not.toEqual([]);
    await groups.held();
    expect(await groups.folders()).toEqual([]);
  });
});
