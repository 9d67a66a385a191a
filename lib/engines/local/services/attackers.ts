import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceSpec } from '@/lib/hosts/services/engine';
import { settleService, shellService } from '../../contract/service-subject';
import { SERVICE_USERS } from '../host';
import { findProcess, findProcesses } from '../processes';
import type { localServices } from './test-subject';

const SECRET = 'never-on-any-disk-5f0c1a';

/** What a tenant who owns a service may try against its host and its neighbours, as root's engine and as an ordinary user's. */
export function attackersContract({ host, subject }: ReturnType<typeof localServices>): void {
  const victim = service('while true; do sleep 1000; done', {
    files: [{ path: 'key', content: SECRET, secret: true }],
  });
  const attacker = service('while true; do sleep 1000; done');

  function service(script: string, change: Partial<ServiceSpec> = {}): ServiceSpec {
    const environment = { NEPHELE_ENGINE_PROCESS: `${host.tag}/qemu/forged` };
    return shellService(subject, script, { environment, state: { sizeMb: 16 }, ...change });
  }

  /** What a script of the attacker writes, to either stream. */
  async function attempt(script: string): Promise<string> {
    const { stdout, stderr } = await subject.services.runInside(attacker.id, [...subject.shell.argv, script]);
    return `${stdout}${stderr}`.trim();
  }

  describe('a service whose tenant is an attacker', () => {
    beforeAll(async () => {
      for (const spec of [victim, attacker]) await settleService(subject.services, spec);
    }, 240_000);

    it('has no capability, gets no new privilege, and is filtered', async () => {
      const status = await attempt('cat /proc/self/status');
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^CapBnd:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(status).toMatch(/^Seccomp:\s+2$/m);
    });

    it('runs as a user of its own, whom no other service and no guest has', async () => {
      const users = await Promise.all(
        [victim, attacker].map(({ id }) => subject.services.runInside(id, [...subject.shell.argv, 'id -u'])),
      );
      const [one, other] = users.map(({ stdout }) => Number(stdout));
      expect(one).not.toBe(other);
      expect(Math.min(one ?? 0, other ?? 0)).toBeGreaterThanOrEqual(SERVICE_USERS);
    });

    it('sees its own processes and no others', async () => {
      const pids = (await attempt('cd /proc; echo [0-9]*')).split(' ');
      expect(pids.length).toBeLessThan(8);
      expect(await attempt('cat /proc/1/cmdline')).toContain('.init');
    });

    it('sees its program, its files and its state, and nothing else of the host', async () => {
      expect((await attempt('ls -A /')).split('\n').sort()).toEqual(
        ['.init', 'bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'run', 'state', 'tmp', 'usr'].filter(Boolean).sort(),
      );
      expect((await attempt('ls -A /etc')).split('\n').sort()).toEqual(
        expect.arrayContaining(['group', 'hosts', 'nsswitch.conf', 'passwd', 'resolv.conf', 'service']),
      );
      expect(await attempt('cat /etc/shadow')).toContain('No such file');
      expect(await attempt('ls -A /run/service /etc/service')).not.toContain('key');
      expect(await attempt(`ls ${host.dataDir}`)).toContain('No such file');
      expect(await attempt('ls /sys')).toContain('No such file');
      expect(await attempt('cat /proc/kcore | head -c 1 | wc -c')).toMatch(/^0/);
    });

    it.each([
      ['write to its program', 'touch /bin/x', 'Read-only file system'],
      ['write to its files', 'touch /etc/service/x', 'Read-only file system'],
      ['change the kernel’s settings', 'echo 1 > /proc/sys/kernel/panic', /Read-only file system|denied/],
      ['ask the kernel for what a key opens', 'echo b > /proc/sysrq-trigger', "can't create"],
      ['make a user namespace', 'busybox unshare -U true', 'not permitted'],
      ['make a network namespace', 'busybox unshare -n true', 'not permitted'],
      ['mount a file system', 'busybox mount -t tmpfs x /tmp', 'denied'],
      ['change its root', 'busybox chroot /state true', 'not permitted'],
      ['change its name', 'busybox hostname other', 'not permitted'],
      ['make a device', 'busybox mknod /tmp/sda b 8 0', /denied|not permitted/],
      ['become root', 'busybox su -c id root', 'su:'],
      ['read the kernel’s log', 'busybox dmesg', 'not permitted'],
    ])('may not %s', async (_, script, refusal) => {
      const said = await attempt(`${script} && echo SUCCEEDED`);
      expect(said).not.toContain('SUCCEEDED');
      expect(said).toMatch(refusal);
    });

    it('runs no native program that it brought itself', async () => {
      for (const folder of ['/state', '/tmp', '/run', '/dev/shm', '/run/service']) {
        const said = await attempt(
          `cp /bin/busybox ${folder}/own && chmod +x ${folder}/own; ${folder}/own true && echo SUCCEEDED`,
        );
        expect(said).not.toContain('SUCCEEDED');
      }
    });

    it('is not taken for a machine, whatever it writes into its environment', async () => {
      expect(await attempt('cat /proc/1/environ')).toContain('NEPHELE_ENGINE_PROCESS');
      expect(findProcess(host, 'qemu', 'forged')).toBeUndefined();
      expect(findProcesses(host).map(({ role }) => role)).toEqual(['shim', 'shim']);
    });

    it('cannot reach the host or anything on it where it has no port', async () => {
      const server: Server = createServer((socket) => socket.end('the host\n'));
      await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
      const addresses = own.flatMap(({ family, address: ip }) => (family === 'IPv4' ? [ip] : []));
      for (const ip of [...addresses, '169.254.169.254']) {
        expect(await attempt(`curl -s -m 1 http://${ip}:${port}/ && echo SUCCEEDED`)).not.toContain('SUCCEEDED');
      }
      server.close();
    });

    it('leaves no secret on disk, in an argument or in an environment', () => {
      const search = (...args: string[]) => {
        try {
          return execFileSync('grep', ['-rlaF', SECRET, ...args], { encoding: 'utf8' }).trim();
        } catch {
          return '';
        }
      };
      expect(search(host.dataDir)).toBe('');
      for (const { pid } of findProcesses(host))
        expect(search(`/proc/${pid}/cmdline`, `/proc/${pid}/environ`)).toBe('');
    });
  });
}
