import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { FloatingIp } from '@/lib/domains/network/schema';
import { inGuest, type Subject } from '@/lib/engines/contract/subject';
import { machinePid, testHere } from '@/lib/engines/local/test-subject';
import { databaseUrl } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { TINY_IMAGE } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { startRealHost } from '@/lib/testing/real-host';
import { api, createProject, createUser, type TestProject } from '@/lib/testing/world';
import type { Instance, InstanceMetrics } from './schema';

testDatabase();

const MINUTES_MS = 300_000;

/** From the API to machines that really run, with everything of a worker in between. */
function endToEnd(name: string, prepare: () => Promise<Subject>): void {
  describe(`machines end to end: ${name}`, { timeout: MINUTES_MS }, () => {
    const call = api();
    let subject: Subject;
    let acme: TestProject;
    let host: Awaited<ReturnType<typeof startRealHost>>;
    let one: Instance;
    let two: Instance;

    beforeAll(async () => {
      subject = await prepare();
      acme = await createProject('acme');
      host = await startRealHost(subject);
    }, MINUTES_MS);
    afterAll(() => host.stop(), MINUTES_MS);

    const post = async (path: string, body: object) => {
      const answer = await call('POST', path, { token: acme.users.member.token, body });
      expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 201, 202]), expect.anything()]);
      return answer;
    };
    const get = async (path: string) => (await call('GET', path, { token: acme.users.reader.token })).body;
    const remove = (path: string) => call('DELETE', path, { token: acme.users.member.token });
    const becomes = async (id: string, state: object): Promise<Instance> => {
      await expect.poll(() => get(`/compute/instances/${id}`), { timeout: MINUTES_MS / 2 }).toMatchObject(state);
      return (await get(`/compute/instances/${id}`)) as Instance;
    };
    const guest = (instance: Instance, command: string) =>
      inGuest(subject.engine.compute, instance.id, (shell) => shell.eventually(command));
    const ipOf = ({ addresses }: Instance) => addresses[0]?.ip ?? '';
    const act = (instance: Instance, action: string) => post(`/compute/instances/${instance.id}/action`, { action });

    test('two instances boot at once from an image that is built meanwhile', async () => {
      const launched = await Promise.all(['one', 'two'].map((hostname) => launch(call, acme, { name: hostname })));
      expect(launched.map(({ status }) => status)).toEqual([201, 201]);
      [one, two] = (await Promise.all(launched.map((answer) => becomes(idOf(answer), { status: 'active' })))) as [
        Instance,
        Instance,
      ];
      expect(await guest(one, 'hostname')).toBe('one');
      expect(await guest(two, "ip -4 addr show dev eth0 | grep -o 'inet [0-9.]*'")).toBe(`inet ${ipOf(two)}`);
      const log = (await get(`/compute/instances/${one.id}/console-log?lines=5000`)) as { output: string };
      expect(log.output).toContain('Linux version');
    });

    test('a rule that comes or goes holds for running guests at once', async () => {
      const [group] = one.security_group_ids;
      const reaches = () => guest(one, `ping -c 1 -W 1 ${ipOf(two)} > /dev/null && echo yes || echo no`);
      expect(await reaches()).toBe('no');
      const rule = { direction: 'ingress', protocol: 'icmp', cidr: '10.0.0.0/24' };
      const added = await post(`/network/security-groups/${group}/rules`, rule);
      await expect.poll(reaches, { timeout: 20_000 }).toBe('yes');
      expect((await remove(`/network/security-groups/rules/${idOf(added)}`)).status).toBe(204);
      await expect.poll(reaches, { timeout: 20_000 }).toBe('no');
    });

    test('a floating IP leads from the host to the guest, as far as a rule lets it', async () => {
      const [group] = one.security_group_ids;
      const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 80, cidr: '0.0.0.0/0' };
      const added = await post(`/network/security-groups/${group}/rules`, rule);
      const { id } = (await post('/network/floating-ips', {})).body as FloatingIp;
      await post(`/network/floating-ips/${id}/associate`, { instance_id: one.id });
      const page = async () => {
        const [{ address, forwards }] = (await get('/network/floating-ips')) as [FloatingIp];
        const port = forwards.find((forward) => forward.port === 80)?.host_port ?? 80;
        return fetch(`http://${address}:${port}/`, { signal: AbortSignal.timeout(2000) }).then(
          (response) => response.text(),
          () => 'unreachable',
        );
      };
      await expect.poll(page, { timeout: 30_000 }).toContain('one');
      await remove(`/network/security-groups/rules/${idOf(added)}`);
      await expect.poll(page, { timeout: 20_000 }).toBe('unreachable');
      await post(`/network/floating-ips/${id}/disassociate`, {});
      expect((await remove(`/network/floating-ips/${id}`)).status).toBe(204);
    });

    test('stop, start and reboot keep the disk; rebuild makes a new one', async () => {
      await guest(one, 'echo kept > /root/kept && sync');
      await act(one, 'stop');
      await becomes(one.id, { status: 'stopped', task: null });
      await act(one, 'start');
      await becomes(one.id, { status: 'active', task: null });
      await act(one, 'reboot');
      await becomes(one.id, { status: 'active', task: null });
      expect(await guest(one, 'cat /root/kept')).toBe('kept');
      await act(one, 'rebuild');
      const rebuilt = await becomes(one.id, { status: 'active', task: null });
      expect(await guest(one, 'test -e /root/kept || echo new')).toBe('new');
      expect(rebuilt.addresses).toEqual(one.addresses);
    });

    test('no guest reaches the platform’s database, over the network or by its socket', async () => {
      const url = new URL(databaseUrl());
      const socket = join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432');
      // The embedded database listens on no network at all: this lets it, as one of an operator's own may.
      const opened = createServer((client) => {
        const server = connect(socket);
        client.pipe(server).pipe(client);
        for (const side of [client, server]) side.on('error', () => {});
      }).listen(0, '0.0.0.0');
      await once(opened, 'listening');
      const { port } = opened.address() as AddressInfo;
      const reaches = (address: string, of: number) =>
        guest(one, `nc -w 2 ${address} ${of} < /dev/null 2> /dev/null && echo yes || echo no`);
      // Its own web server, so that a "no" below says something.
      expect(await reaches('127.0.0.1', 80)).toBe('yes');
      try {
        const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
        for (const { address } of addresses.filter(({ family }) => family === 'IPv4')) {
          const client = new pg.Client({
            host: address,
            port,
            user: url.username,
            password: url.password,
            database: 'postgres',
          });
          await client.connect();
          await client.end();
          expect(await reaches(address, port), address).toBe('no');
        }
        expect(await reaches('10.0.0.1', port)).toBe('no');
      } finally {
        opened.close();
      }
      // A guest that broke out of its machine would be that machine's user.
      if (process.getuid?.() !== 0) return;
      const user = String(guestUserOf(one.id));
      const knock = `require('net').connect(process.argv[1]).on('error', (error) => { console.log(error.code); process.exit() })`;
      const asGuest = ['--reuid', user, '--regid', user, '--clear-groups', '--', process.execPath, '-e', knock, socket];
      expect(spawnSync('setpriv', asGuest, { encoding: 'utf8', timeout: 10_000 }).stdout.trim()).toBe('EACCES');
    });

    test('the guests of a suspended tenant stop for real, and start when it is let in again', async () => {
      const { token } = await createUser('root@example.test', 'backoffice');
      const administer = (verb: string, body?: object) =>
        call('POST', `/admin/api/v1/tenants/${acme.id}/${verb}`, { token, ...(body ? { body } : {}) });
      const powers = async () => (await subject.engine.compute.observeInstances()).map(({ power }) => power);
      expect((await administer('suspend', { reason: 'Nobody pays.' })).status).toBe(200);
      await expect.poll(powers, { timeout: MINUTES_MS / 2 }).toEqual(['stopped', 'stopped']);
      const refused = await call('GET', '/compute/instances', { token: acme.users.reader.token });
      expect(refused.body).toMatchObject({ error: { code: 'TENANT_SUSPENDED' } });
      expect((await administer('resume', {})).status).toBe(200);
      for (const machine of [one, two]) {
        await becomes(machine.id, { status: 'stopped', task: null, status_reason: 'The project was suspended.' });
        await act(machine, 'start');
        await becomes(machine.id, { status: 'active', task: null });
        expect(await guest(machine, 'hostname')).toBe(machine.name);
      }
    });

    test('a machine that is killed comes back, and what it used is on record', async (context) => {
      const points = async () => ((await get(`/compute/instances/${two.id}/metrics`)) as InstanceMetrics).points.length;
      await expect.poll(points, { timeout: 90_000 }).toBeGreaterThan(0);
      if (!subject.powerFailure) return context.skip();
      subject.powerFailure(two.id);
      await becomes(two.id, { status_reason: expect.stringContaining('Restarting after a crash') });
      await becomes(two.id, { status: 'active', task: null });
      expect(await guest(two, 'hostname')).toBe('two');
    });

    test('a delete leaves nothing on the host and nothing of the quota', async () => {
      for (const { id } of [one, two]) expect((await remove(`/compute/instances/${id}`)).status).toBe(202);
      await expect.poll(() => get('/compute/instances'), { timeout: 60_000 }).toEqual([]);
      expect(await get('/tenant/quota')).toMatchObject({
        instances: { used: 0 },
        vcpus: { used: 0 },
        ram_gb: { used: 0 },
      });
      expect(await queryOne(sql`SELECT vcpus_reserved, memory_mb_reserved, disk_gb_reserved FROM cells`)).toEqual({
        vcpus_reserved: 0,
        memory_mb_reserved: 0,
        disk_gb_reserved: 0,
      });
      // The socket behind the service address goes with the next look at the routers.
      const left = async () => (await subject.leftovers()).filter((name) => !name.includes(TINY_IMAGE));
      await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    });
  });
}

/** The user that an instance's machine runs as. */
const guestUserOf = (id: string) => statSync(`/proc/${machinePid(id)}`).uid;

await testHere(endToEnd);
