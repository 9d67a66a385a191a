import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { Port, Router, SecurityRule } from '@/lib/domains/network/engine';
import type { LogLine, ObservedService, ServicePort, ServiceSpec } from '@/lib/hosts/services/engine';
import { eventually, type ServiceSubject, settleService, shellService } from '../service-subject';

const SERVICE_MS = 60_000;
const FETCH_MS = 240_000;

/**
 * Requirements on engines with real processes, beyond the semantics (`semantics/services`). The program is a shell, so
 * that a test can make it behave in any way.
 */
export function serviceIsolation(name: string, prepare: () => Promise<ServiceSubject>): void {
  describe(`service engine: ${name}`, { timeout: SERVICE_MS }, () => {
    let subject: ServiceSubject;
    const made = new Set<string>();

    beforeAll(async () => {
      subject = await prepare();
      await untilSettled(shell('exit 0', { restart: 'never' }), FETCH_MS);
    }, FETCH_MS);

    afterEach(async () => {
      for (const id of made) await subject.services.removeService(id);
      made.clear();
    });

    afterAll(async () => {
      expect(await subject.leftovers()).toEqual([]);
    });

    /** A service that runs a script; ready once it has created a socket or a file, or at once. */
    function shell(script: string, change: Partial<ServiceSpec> = {}): ServiceSpec {
      const spec = shellService(subject, script, { stopSeconds: 2, ...change });
      made.add(spec.id);
      return spec;
    }

    const untilSettled = (spec: ServiceSpec, withinMs?: number) => settleService(subject.services, spec, withinMs);

    const observe = async (id: string): Promise<ObservedService> => {
      const found = (await subject.services.observeServices()).find((service) => service.id === id);
      if (!found) throw new Error('The engine does not know the service.');
      return found;
    };
    const messages = (lines: LogLine[]) => lines.map(({ message }) => message);
    const said = async (id: string) => messages((await subject.services.readLog(id, null, 100_000)).lines);
    const inside = async (id: string, script: string) =>
      (await subject.services.runInside(id, [...subject.shell.argv, script])).stdout.trim();

    const forever = 'while true; do sleep 1000; done';

    it('a stopped service leaves no network on the host, and gets one again', async () => {
      const spec = shell(forever, { egress: { owner: newId() } });
      const networks = async () => (await subject.leftovers()).filter((left) => left.startsWith('svc-'));
      await untilSettled(spec);
      expect(await networks()).not.toEqual([]);
      await subject.services.stopService(spec.id);
      expect(await networks()).toEqual([]);
      await untilSettled(spec);
      expect(await networks()).not.toEqual([]);
    });

    it('keeps a service’s output by line and stream, and continues reading at a cursor', async () => {
      const spec = shell(
        `echo one; echo two >&2; printf 'no end'; sleep 0.2; echo; while [ ! -e /run/service/more ]; do sleep 0.05; done; echo three; ${forever}`,
      );
      await untilSettled(spec);
      await eventually(async () => (await said(spec.id)).includes('no end'));
      const page = await subject.services.readLog(spec.id, null, 100);
      expect(page.lines.find(({ message }) => message === 'one')?.stream).toBe('stdout');
      expect(page.lines.find(({ message }) => message === 'two')?.stream).toBe('stderr');
      expect(page.dropped).toBe(0);
      expect((await subject.services.readLog(spec.id, page.cursor, 100)).lines).toEqual([]);
      await inside(spec.id, 'touch /run/service/more');
      await eventually(async () => (await said(spec.id)).includes('three'));
      expect(messages((await subject.services.readLog(spec.id, page.cursor, 100)).lines)).toEqual(['three']);
    });

    it('counts the lines that it drops in a flood, and continues', async () => {
      const flood = 'i=0; while [ $i -lt 60000 ]; do echo line $i; i=$((i+1)); done';
      const spec = shell(`${flood}; sleep 1.5; echo after; ${forever}`);
      await untilSettled(spec);
      await eventually(async () => (await said(spec.id)).at(-1) === 'after');
      const page = await subject.services.readLog(spec.id, null, 100_000);
      expect(page.dropped).toBeGreaterThan(0);
      expect(page.lines.length + page.dropped).toBe(60_001);
    });

    it('delivers changed files to a running service by its signal, without a restart', async () => {
      const spec = shell(`trap 'cat /etc/service/word' HUP; ${'while true; do sleep 0.05; done'}`, {
        files: [{ path: 'word', content: 'first\n', secret: true }],
        reload: { kind: 'signal', signal: 'SIGHUP' },
      });
      await untilSettled(spec);
      expect(await inside(spec.id, 'cat /etc/service/word')).toBe('first');
      await untilSettled({ ...spec, files: [{ path: 'word', content: 'second\n', secret: true }] });
      await eventually(async () => (await said(spec.id)).includes('second'));
      expect((await observe(spec.id)).starts).toBe(1);
    });

    it('restarts a service when its arguments change', async () => {
      const spec = shell(`echo old; ${forever}`);
      await untilSettled(spec);
      await untilSettled({ ...spec, argv: [...subject.shell.argv, `echo new; ${forever}`] });
      expect(await said(spec.id)).toEqual(['old', 'new']);
    });

    it('restarts a service when it ends, and reports how it ended', async () => {
      const spec = shell(
        'if [ ! -e /state/once ]; then touch /state/once; exit 7; fi; while true; do sleep 1000; done',
        {
          state: { sizeMb: 16 },
        },
      );
      await eventually(async () => {
        await subject.services.ensureService(spec);
        return (await observe(spec.id)).starts === 2;
      });
      expect((await observe(spec.id)).lastExit).toMatchObject({ code: 7, signal: null, outOfMemory: false });
    });

    it('does not restart a one-time task', async () => {
      const spec = shell('echo done; exit 3', { restart: 'never' });
      await untilSettled(spec);
      expect(await observe(spec.id)).toMatchObject({ power: 'stopped', lastExit: { code: 3 } });
      expect(await said(spec.id)).toEqual(['done']);
      await untilSettled(spec);
      await subject.restarted().ensureService(spec);
      expect(await said(spec.id)).toEqual(['done']);
      await untilSettled({ ...spec, power: 'stopped' });
      await untilSettled(spec);
      expect(await said(spec.id)).toEqual(['done', 'done']);
    });

    it('stops a service by its signal, and kills it if it does not end in time', async () => {
      const polite = shell("trap 'echo bye; exit 0' TERM; while true; do sleep 0.05; done");
      const deaf = shell("trap '' TERM; while true; do sleep 0.05; done", { stopSeconds: 0.3 });
      for (const spec of [polite, deaf]) {
        await untilSettled(spec);
        await untilSettled({ ...spec, power: 'stopped' });
        expect((await observe(spec.id)).power).toBe('stopped');
      }
      expect(await said(polite.id)).toEqual(['bye']);
    });

    it('survives the end of its supervisor, which the next call replaces without a restart', async () => {
      const spec = shell('i=0; while true; do i=$((i+1)); echo tick $i; sleep 0.1; done');
      await untilSettled(spec);
      const [before] = [await inside(spec.id, 'cat /proc/sys/kernel/random/boot_id; cut -d" " -f22 /proc/1/stat')];
      subject.killSupervisor(spec.id);
      expect((await observe(spec.id)).power).toBe('running');
      await untilSettled(spec);
      expect(await inside(spec.id, 'cat /proc/sys/kernel/random/boot_id; cut -d" " -f22 /proc/1/stat')).toBe(before);
      const at = (await said(spec.id)).length;
      await eventually(async () => (await said(spec.id)).length > at + 3);
      const ticks = (await said(spec.id)).map((line) => Number(line.split(' ')[1]));
      expect(ticks).toEqual(ticks.map((_, index) => index + 1));
      subject.kill(spec.id);
      await eventually(async () => (await observe(spec.id)).lastExit !== null);
    });

    it('keeps the state folder across stops and starts, within its size, and lets it grow', async () => {
      const spec = shell(forever, { state: { sizeMb: 16 } });
      await untilSettled(spec);
      await inside(spec.id, 'echo kept > /state/word');
      const fill = await subject.services.runInside(spec.id, [
        ...subject.shell.argv,
        'dd if=/dev/zero of=/state/big bs=1M count=40; rc=$?; rm /state/big; exit $rc',
      ]);
      expect(fill.code).not.toBe(0);
      await untilSettled({ ...spec, power: 'stopped' });
      await untilSettled({ ...spec, state: { sizeMb: 64 } });
      expect(await inside(spec.id, 'cat /state/word')).toBe('kept');
      expect(await inside(spec.id, 'dd if=/dev/zero of=/state/big bs=1M count=40 2>/dev/null && echo fits')).toBe(
        'fits',
      );
      const smaller = subject.services.ensureService({ ...spec, state: { sizeMb: 16 } });
      await expect(smaller).rejects.toMatchObject({ code: 'INVALID' });
    });

    it('ends a service that exceeds its memory limit, and reports it', async () => {
      const spec = shell(`if [ -e /state/once ]; then ${forever}; fi; touch /state/once; tail -c 200000000 /dev/zero`, {
        state: { sizeMb: 16 },
        limits: { cpuMillis: 1000, memoryMb: 24, processes: 32, openFiles: 256 },
      });
      await eventually(async () => {
        await subject.services.ensureService(spec);
        return (await observe(spec.id)).starts >= 2;
      });
      expect((await observe(spec.id)).lastExit).toMatchObject({ outOfMemory: true });
    });

    it('refuses a service more processes than its limit', async () => {
      const spec = shell(forever, { limits: { cpuMillis: 1000, memoryMb: 64, processes: 12, openFiles: 256 } });
      await untilSettled(spec);
      const bomb = 'i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; wait';
      const { stderr } = await subject.services.runInside(spec.id, [...subject.shell.argv, bomb]);
      expect(stderr).toMatch(/fork|resource/i);
      expect((await observe(spec.id)).power).toBe('running');
    });

    it('measures a service’s usage', async () => {
      const spec = shell(`i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; ${forever}`, { state: { sizeMb: 16 } });
      await untilSettled(spec);
      await eventually(async () => ((await subject.services.sampleService(spec.id))?.cpuSeconds ?? 0) > 0);
      const sample = await subject.services.sampleService(spec.id);
      expect(sample?.memoryBytes).toBeGreaterThan(0);
      expect(sample?.processes).toBeGreaterThan(1);
      await untilSettled({ ...spec, power: 'stopped' });
      expect(await subject.services.sampleService(spec.id)).toBeNull();
    });

    describe('on a tenant network', () => {
      const routerId = newId();
      const networkId = newId();
      const group = newId();
      const gatewayIp = '10.79.0.1';
      const rule = (direction: SecurityRule['direction'], port: number | null): SecurityRule => ({
        direction,
        protocol: port === null ? 'any' : 'tcp',
        portRangeMin: port,
        portRangeMax: port,
        cidr: '0.0.0.0/0',
      });
      const vip = '10.79.0.50';
      const portOf = (number: number, change: Partial<Port> = {}): Port => ({
        id: newId(),
        mac: `02:4e:00:00:01:${number}`,
        ip: `10.79.0.${number}`,
        hostname: `service-${number}`,
        securityGroupIds: [group],
        holderId: newId(),
        attachment: 'veth',
        sharedAddresses: [vip],
        ...change,
      });
      const [one, two] = [portOf(11), portOf(12)];
      const shared = portOf(50, { attachment: 'none', holderId: null, sharedAddresses: [] });

      const router = (rules: SecurityRule[]): Router => ({
        id: routerId,
        networks: [
          {
            id: networkId,
            cidr: '10.79.0.0/24',
            gatewayIp,
            dhcpEnabled: true,
            dnsServers: [],
            names: [{ name: 'database', address: vip }],
            ports: [one, two, shared],
          },
        ],
        securityGroups: [{ id: group, rules }],
        floatingIps: [],
      });
      const open = [rule('egress', null), rule('ingress', 8080)];
      const attached = ({ id, mac, ip }: Port, sharedAddresses: string[] = []): ServicePort => {
        return { id, networkId, mac, ip, prefixLength: 24, gatewayIp, dnsServers: [], sharedAddresses };
      };
      const server = (port: Port, word: string, sharedAddresses: string[] = []) =>
        shell('exec busybox httpd -f -p 8080 -h /etc/service', {
          files: [{ path: 'word', content: word, secret: false }],
          health: { kind: 'http', port: 8080, path: '/word' },
          port: attached(port, sharedAddresses),
        });
      const fetched = (from: ServiceSpec, host: string) =>
        inside(from.id, `curl -s -m 2 http://${host}:8080/word || echo refused`);

      beforeAll(async () => {
        await subject.network.ensureRouter(router(open));
      });
      afterAll(() => subject.network.removeRouter(routerId));

      it('reaches its neighbours by address and name, as their rules allow', async () => {
        const first = server(one, 'first');
        const second = server(two, 'second');
        await untilSettled(first);
        await untilSettled(second);
        expect(await fetched(first, two.ip)).toBe('second');
        expect(await fetched(first, 'service-12.internal')).toBe('second');
        await subject.network.ensureRouter(router([rule('egress', null)]));
        expect(await fetched(first, two.ip)).toBe('refused');
        await subject.network.ensureRouter(router(open));
        expect(await fetched(first, two.ip)).toBe('second');
      });

      it('moves an address between services, along with its name', async () => {
        const first = server(one, 'first', [vip]);
        const second = server(two, 'second');
        await untilSettled(first);
        await untilSettled(second);
        expect(await fetched(second, 'database.internal')).toBe('first');
        await untilSettled({ ...first, port: attached(one) });
        await untilSettled({ ...second, port: attached(two, [vip]) });
        await eventually(async () => (await fetched(first, 'database.internal')) === 'second');
        expect((await observe(first.id)).starts).toBe(1);
      });

      it('moves an address at once, and descriptions from before do not take it back', async () => {
        const first = server(one, 'first', [vip]);
        const second = server(two, 'second');
        await untilSettled(first);
        await untilSettled(second);
        await subject.services.moveAddresses(first.id, { ...attached(one), moves: 1 });
        await subject.services.moveAddresses(second.id, { ...attached(two, [vip]), moves: 1 });
        await eventually(async () => (await fetched(first, vip)) === 'second');
        await untilSettled(first);
        await untilSettled(second);
        expect(await fetched(first, vip)).toBe('second');
      });

      it('keeps its link across a restart, and gets a new one when the network is recreated', async () => {
        const first = server(one, 'first');
        await untilSettled(first);
        await subject.network.removeRouter(routerId);
        await subject.network.ensureRouter(router(open));
        const second = server(two, 'second');
        await untilSettled(second);
        await untilSettled(first);
        await eventually(async () => (await fetched(second, one.ip)) === 'first');
      });
    });
  });
}
