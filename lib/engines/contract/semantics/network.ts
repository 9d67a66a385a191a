import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@/lib/core/db/id';
import type { InstanceSpec } from '@/lib/domains/compute/engine';
import type { Network, Port, Router, RouterState, SecurityRule } from '@/lib/domains/network/engine';
import { untilSettled } from '../../until-settled';
import { GuestShell } from '../guest-shell';
import { type Subject, settleInstance, smallInstance } from '../subject';

const GUEST_MS = 240_000;
const CIDR = '10.77.0.0/24';

const rule = (direction: SecurityRule['direction'], change: Partial<SecurityRule> = {}): SecurityRule => ({
  direction,
  protocol: 'any',
  portRangeMin: null,
  portRangeMax: null,
  cidr: '0.0.0.0/0',
  ...change,
});
const tcp = (port: number): Partial<SecurityRule> => ({ protocol: 'tcp', portRangeMin: port, portRangeMax: port });

/** The guests of these tests, for further tests. */
export type NetworkStage = {
  subject(): Subject;
  /** The shell of a guest, by its host name. */
  shell(hostname: string): GuestShell;
  /** Whether a command in a guest succeeds. */
  succeeds(hostname: string, command: string): Promise<boolean>;
  ping(ip: string): string;
  fetches(url: string): string;
  /** Applies these rules to all guests of the tenant. */
  apply(rules: SecurityRule[]): Promise<RouterState>;
  /** Rules that allow everything. */
  open: SecurityRule[];
  one: Port;
  shared: Network;
};

/**
 * The contract of every network engine, seen from inside guests: `one`, `two` and `four` share a network, where nothing may
 * enter `four`; `three` is on another network of the same router; `stranger` belongs to another tenant whose network has the
 * same addresses. `more` adds tests on the same guests, because booting them takes most of the time.
 */
export function networkSemantics(
  name: string,
  prepare: () => Promise<Subject>,
  more?: (stage: NetworkStage) => void,
): void {
  describe(`network engine: ${name}`, { timeout: GUEST_MS }, () => {
    let subject: Subject;
    const tiny = newId();
    const group = newId();
    /** The group of `four`: no ingress. */
    const quiet = newId();
    const guests = new Map<string, InstanceSpec>();
    const shells = new Map<string, GuestShell>();

    const port = (hostname: string, ip: string, mac: string, securityGroup = group): Port => {
      return {
        id: newId(),
        mac,
        ip,
        hostname,
        securityGroupIds: [securityGroup],
        holderId: newId(),
        attachment: 'tap',
        sharedAddresses: [],
      };
    };
    const [one, two, three, stranger, four] = [
      port('one', '10.77.0.11', '02:4e:00:00:00:01'),
      port('two', '10.77.0.12', '02:4e:00:00:00:02'),
      port('three', '10.77.1.13', '02:4e:00:00:00:03'),
      port('stranger', '10.77.0.14', '02:4e:00:00:00:04'),
      port('four', '10.77.0.15', '02:4e:00:00:00:05', quiet),
    ];
    const network = (cidr: string, dhcpEnabled: boolean, ports: Port[]): Network => {
      return {
        id: newId(),
        cidr,
        gatewayIp: cidr.replace('.0/24', '.1'),
        dhcpEnabled,
        dnsServers: [],
        names: [],
        ports,
      };
    };
    const shared = network(CIDR, true, [one, two, four]);
    const other = network('10.77.1.0/24', false, [three]);
    const foreign = network(CIDR, true, [stranger]);
    const routerId = newId();
    const foreignId = newId();
    const open = [rule('egress'), rule('ingress')];

    const router = (rules: SecurityRule[], floatingIps: Router['floatingIps'] = []): Router => {
      const securityGroups = [
        { id: group, rules },
        { id: quiet, rules: [rule('egress')] },
      ];
      return { id: routerId, networks: [shared, other], securityGroups, floatingIps };
    };
    const foreignRouter: Router = {
      id: foreignId,
      networks: [foreign],
      securityGroups: [{ id: group, rules: open }],
      floatingIps: [],
    };
    const apply = (...parts: Parameters<typeof router>): Promise<RouterState> =>
      subject.engine.network.ensureRouter(router(...parts));
    const shell = (hostname: string): GuestShell => {
      const found = shells.get(hostname);
      if (!found) throw new Error(`no shell in ${hostname}`);
      return found;
    };
    const succeeds = async (hostname: string, command: string) => (await shell(hostname).run(command)).status === 0;
    const ping = (ip: string) => `ping -c 1 -W 1 ${ip}`;
    const fetches = (url: string) => `timeout 2 wget -q -O - ${url}`;

    const launch = async (network: Network, port: Port) => {
      const gateway = { gatewayIp: network.gatewayIp, dnsServers: network.dnsServers, prefixLength: 24 };
      const card = { id: port.id, networkId: network.id, mac: port.mac, ip: port.ip, dhcp: network.dhcpEnabled };
      const spec = smallInstance(tiny, {
        id: port.holderId ?? newId(),
        ports: [{ ...card, ...gateway }],
        seed: { hostname: port.hostname, sshPublicKeys: [], userData: null },
      });
      guests.set(port.hostname, spec);
      await settleInstance(subject.engine.compute, spec);
    };

    beforeAll(async () => {
      subject = await prepare();
      await untilSettled(() => subject.engine.images.buildTinyImage(tiny));
      await apply(open);
      await subject.engine.network.ensureRouter(foreignRouter);
      const here = [one, two, four].map((port) => launch(shared, port));
      await Promise.all([...here, launch(other, three), launch(foreign, stranger)]);
      for (const [hostname, { id }] of guests) {
        shells.set(hostname, await GuestShell.open(await subject.engine.compute.openConsole(id, 'serial')));
      }
    }, GUEST_MS);

    afterAll(async () => {
      for (const open of shells.values()) open.close();
      for (const { id } of guests.values()) await subject.engine.compute.removeInstance(id);
      await subject.engine.network.removeRouter(routerId);
      await subject.engine.network.removeRouter(foreignId);
      await untilSettled(() => subject.engine.images.removeImage(tiny));
      expect(await subject.leftovers()).toEqual([]);
    }, GUEST_MS);

    it('gives guests their addresses, by DHCP or by their seed, and resolves their names', async () => {
      await shell('one').eventually('ip address show eth0 | grep -q "inet 10.77.0.11/24"');
      await shell('two').eventually('ip address show eth0 | grep -q "inet 10.77.0.12/24"');
      await shell('three').eventually('ip address show eth0 | grep -q "inet 10.77.1.13/24"');
      await shell('stranger').eventually('ip address show eth0 | grep -q "inet 10.77.0.14/24"');
      expect((await shell('one').run('nslookup two.internal')).output).toContain('10.77.0.12');
      expect((await shell('three').run('nslookup three.internal')).output).toContain('10.77.1.13');
    });

    it('lets guests of one network reach each other, and nobody else', async () => {
      await shell('one').eventually(ping('10.77.0.12'));
      expect(await shell('one').eventually(fetches('http://10.77.0.12/'))).toContain('<h1>two</h1>');
      expect(await succeeds('one', ping('10.77.1.13'))).toBe(false);
      expect(await succeeds('three', fetches('http://10.77.0.11/'))).toBe(false);
      expect(await succeeds('one', fetches('http://10.77.0.14/'))).toBe(false);
      expect(await succeeds('stranger', ping('10.77.0.11'))).toBe(false);
    });

    more?.({ subject: () => subject, shell, succeeds, ping, fetches, apply, open, one, shared });

    it('reaches the outside, counts egress and resolves names', async (context) => {
      if (!subject.outside) return context.skip();
      const world = await subject.outside();
      try {
        const id = one.holderId ?? '';
        const before = await subject.engine.compute.sampleInstance(id);
        expect(await shell('one').eventually(fetches(world.url), 20_000)).toContain('the world');
        await shell('one').run(
          `yes | head -c 200000 > /tmp/body; timeout 10 wget -q -O - --post-file=/tmp/body ${world.url}`,
        );
        await expect
          .poll(async () => (await subject.engine.compute.sampleInstance(id))?.egressBytes ?? 0, { timeout: 10_000 })
          .toBeGreaterThan((before?.egressBytes ?? 0) + 200_000);
        const sent = await subject.engine.network.egressBytes([{ id: one.id, networkId: shared.id }]);
        expect(sent).toBeGreaterThan((before?.egressBytes ?? 0) + 200_000);
        const passed = await subject.engine.network.traffic({
          id: routerId,
          networkIds: [shared.id, newId()],
          floatingIpIds: [],
        });
        expect([...passed.keys()]).toEqual([routerId, shared.id]);
        for (const { receivedBytes, receivedPackets, sentBytes, sentPackets } of passed.values()) {
          expect(sentBytes).toBeGreaterThan(200_000);
          expect(sentPackets).toBeGreaterThan(10);
          expect(receivedPackets).toBeGreaterThan(10);
          expect(receivedBytes).toBeGreaterThan(10 * 40);
        }
      } finally {
        world.close();
      }
    });

    it('denies traffic without a rule, and a rule applies at once, both ways and to open connections', async () => {
      await apply([rule('egress')]);
      expect(await succeeds('one', fetches('http://10.77.0.12/'))).toBe(false);
      await apply([rule('egress'), rule('ingress', tcp(80))]);
      await shell('one').eventually(fetches('http://10.77.0.12/'));
      expect(await succeeds('one', ping('10.77.0.12'))).toBe(false);
      await apply([rule('ingress', tcp(80))]);
      expect(await succeeds('one', fetches('http://10.77.0.12/'))).toBe(false);

      await apply([rule('egress'), rule('ingress', tcp(7000))]);
      await shell('two').run('(tail -f /dev/null | nc -l -p 7000 > /tmp/heard &)');
      await shell('two').eventually('netstat -ltn | grep -q :7000');
      await shell('one').run(
        'mkfifo /tmp/line; (nc 10.77.0.12 7000 < /tmp/line &) ; exec 9> /tmp/line; echo first >&9',
      );
      await shell('two').eventually('grep -q first /tmp/heard');
      await apply([rule('egress')]);
      await shell('one').run('echo second >&9');
      // Waits until the kernel there retransmits, because nobody has answered.
      await shell('one').eventually(`awk '$3 ~ /:1B58$/ && $7 + 0 > 0 { sent = 1 } END { exit !sent }' /proc/net/tcp`);
      expect(await succeeds('two', 'grep -q second /tmp/heard')).toBe(false);
      await apply([rule('egress'), rule('ingress', tcp(7000))]);
      await shell('two').eventually('grep -q second /tmp/heard');
      await shell('one').run('exec 9>&-');
    });

    it('matches the source of a rule', async () => {
      await apply([rule('egress'), rule('ingress', { ...tcp(80), cidr: '10.77.0.11/32' })]);
      await shell('one').eventually(fetches('http://10.77.0.12/'));
      expect(await succeeds('two', fetches('http://10.77.0.11/'))).toBe(false);
    });

    it('a floating IP leads from this host to its guest and to no other', async () => {
      const [range] = await subject.engine.network.floatingIpRanges();
      const address = range?.first ?? '';
      const web = [rule('egress'), rule('ingress', tcp(80))];
      const id = newId();
      const bind = (target: Port) => [{ id, address, portId: target.id }];
      const page = async ({ forwards }: RouterState) => {
        const forward = forwards.find(({ floatingIp, port }) => floatingIp === address && port === 80);
        const url = `http://${address}:${forward?.hostPort ?? 80}/`;
        return fetch(url, { signal: AbortSignal.timeout(2_000) })
          .then((answer) => answer.text())
          .catch(() => 'nothing');
      };
      const first = await apply(web, bind(one));
      await expect.poll(() => page(first), { timeout: 30_000 }).toContain('<h1>one</h1>');
      const second = await apply(web, bind(two));
      await expect.poll(() => page(second), { timeout: 30_000 }).toContain('<h1>two</h1>');
      await apply([rule('egress')], bind(two));
      expect(await page(second)).toBe('nothing');
      await apply(web, bind(two));
      await expect.poll(() => page(second), { timeout: 30_000 }).toContain('<h1>two</h1>');
      const counted = { id: routerId, networkIds: [], floatingIpIds: [id] };
      const passed = (await subject.engine.network.traffic(counted)).get(id);
      expect(passed?.receivedBytes).toBeGreaterThan(100);
      expect(passed?.sentBytes).toBeGreaterThan(100);
      await apply(web, []);
      expect(await page(second)).toBe('nothing');
      expect([...(await subject.engine.network.traffic(counted)).keys()]).toEqual([routerId]);
    });

    describe('redirects connections to an address', () => {
      const web = { networkId: shared.id, address: two.ip, port: 80 };
      const line = { ...web, port: 7001 };
      const page = (address: string) => shell('one').run(fetches(`http://${address}/`));
      const answers = (host: string) =>
        expect.poll(async () => (await page(two.ip)).output).toContain(`<h1>${host}</h1>`);
      const network = () => subject.engine.network;

      beforeAll(() => apply(open));
      afterAll(async () => {
        for (const from of [web, line]) await network().redirect(from, null);
      });

      it('at one port only, and back', async () => {
        await network().redirect(web, four.ip);
        await answers('four');
        // Nothing may enter `four` directly: the rules of the address that was used let these in.
        expect((await page(four.ip)).status).not.toBe(0);
        expect(await succeeds('one', ping(two.ip))).toBe(true);
        expect(await succeeds('two', fetches('http://127.0.0.1/'))).toBe(true);
        await network().redirect(web, one.ip);
        expect((await shell('four').run(fetches(`http://${two.ip}/`))).output).toContain('<h1>one</h1>');
        await network().redirect(web, null);
        await answers('two');
        await network().redirect(web, null);
      });

      it('on their network only, and across changes of the router', async () => {
        await network().redirect(web, four.ip);
        expect(await succeeds('three', fetches(`http://${two.ip}/`))).toBe(false);
        expect(await succeeds('stranger', fetches(`http://${two.ip}/`))).toBe(false);
        await apply(open);
        expect((await page(two.ip)).output).toContain('<h1>four</h1>');
        const unknown = { ...web, networkId: newId() };
        await expect(network().redirect(unknown, four.ip)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      });

      it.each([
        ['to the address that they use', rule('egress', { cidr: `${two.ip}/32` }), rule('ingress'), true],
        ['only to other addresses', rule('egress', { cidr: `${three.ip}/32` }), rule('ingress'), false],
        ['from their own address', rule('egress'), rule('ingress', { cidr: `${one.ip}/32` }), true],
        ['only from another address', rule('egress'), rule('ingress', { cidr: `${three.ip}/32` }), false],
        ['at their port', rule('egress'), rule('ingress', tcp(web.port)), true],
        ['at another port', rule('egress'), rule('ingress', tcp(web.port + 1)), false],
      ])('if the rules of its port allow connections %s', async (_, egress, ingress, allowed) => {
        await network().redirect(web, four.ip);
        await apply([egress, ingress]);
        const { status, output } = await page(two.ip);
        expect([status === 0, output.includes('<h1>four</h1>')]).toEqual([allowed, allowed]);
        await apply(open);
      });

      it('until they are ended, which even an idle client notices', async () => {
        const isConnected = "netstat -tn | grep -q '10\\.77\\.0\\.12:7001 .*ESTABLISHED'";
        for (const [host, out] of [
          ['two', 'first'],
          ['four', 'second'],
        ] as const) {
          await shell(host).run(`(tail -f /dev/null | nc -l -p ${line.port} > /tmp/${out} &)`);
          await shell(host).eventually(`netstat -ltn | grep -q :${line.port}`);
        }
        await network().redirect(line, four.ip);
        await shell('one').run(
          `mkfifo /tmp/led; (nc ${two.ip} ${line.port} < /tmp/led &) ; exec 8> /tmp/led; echo led >&8`,
        );
        await shell('four').eventually('grep -q led /tmp/second');
        // The target sees the address that the client used.
        expect((await shell('four').run('netstat -tn')).output).toMatch(
          /10\.77\.0\.15:7001 +\S*10\.77\.0\.12:\d+ +ESTABLISHED/,
        );
        await network().endRedirected(line, four.ip);
        await network().redirect(line, null);
        await shell('one').run('echo still >&8');
        await shell('four').eventually('grep -q still /tmp/second');
        expect(await succeeds('one', isConnected)).toBe(true);
        await network().endRedirected(line, null);
        await shell('one').eventually(`! ${isConnected}`);
        expect(await succeeds('two', 'test -s /tmp/first')).toBe(false);
        await shell('one').run('exec 8>&-');
        await network().endRedirected(line, null);
      });
    });

    it('reports its state, to an engine without memory too', async () => {
      const seen = await subject.restarted().network.observeRouters();
      const mine = seen.find(({ id }) => id === routerId);
      expect(mine?.networkIds.toSorted()).toEqual([shared.id, other.id].toSorted());
      expect(mine?.portIds.toSorted()).toEqual([one.id, two.id, three.id, four.id].toSorted());
      expect(new Set(seen.map(({ externalIp }) => externalIp)).size).toBe(2);
    });

    it('removes a port and a router without affecting the others', async () => {
      const sent = (await subject.engine.compute.sampleInstance(three.holderId ?? ''))?.egressBytes;
      await subject.engine.compute.removeInstance(stranger.holderId ?? '');
      await subject.engine.compute.removeInstance(three.holderId ?? '');
      // A machine's egress count exists as long as its port.
      const of = [{ id: three.id, networkId: other.id }];
      expect(await subject.engine.network.egressBytes(of)).toBeGreaterThanOrEqual(sent ?? Number.NaN);
      await subject.engine.network.ensureRouter({ ...router(open), networks: [shared] });
      // Resources missing in the list remain, and are reported by id.
      const strays = (await subject.restarted().network.observeRouters()).map(({ id }) => id);
      expect(strays.toSorted()).toEqual([routerId, foreignId].toSorted());
      await subject.restarted().network.removeRouter(foreignId);
      await subject.engine.network.removeRouter(foreignId);
      await expect(subject.engine.network.egressBytes(of)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const seen = await subject.engine.network.observeRouters();
      expect(seen).toMatchObject([{ id: routerId, networkIds: [shared.id] }]);
      await shell('one').eventually(ping('10.77.0.12'));
    });
  });
}
