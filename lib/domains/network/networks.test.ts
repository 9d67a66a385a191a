import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { ifAdmitted } from '@/lib/core/quota/commit';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { defaultNetworkRows, ensureAllNetworking } from './project-networking';

testDatabase();
const call = api();
let acme: TestProject;
beforeAll(() => createCell());
beforeEach(async () => {
  acme = await createProject('acme');
});

const create = (body: object) =>
  call('POST', '/network/networks', { token: acme.users.member.token, body: { name: 'net', ...body } });
const remove = (id: string) => call('DELETE', `/network/networks/${id}`, { token: acme.users.member.token });
const list = async (path: string) => (await call('GET', path, { token: acme.users.reader.token })).body;
const error = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });

describe('a project', () => {
  test('begins with a router, a default network behind it and a group that lets everything out', async () => {
    expect(await list('/network/networks')).toMatchObject([
      {
        name: 'default',
        is_default: true,
        cidr: '10.0.0.0/24',
        gateway_ip: '10.0.0.1',
        dhcp_enabled: true,
        port_count: 0,
      },
    ]);
    expect(await list('/network/routers')).toMatchObject([
      {
        name: 'default',
        external_ip: null,
        interfaces: [{ network_name: 'default', cidr: '10.0.0.0/24', ip: '10.0.0.1' }],
      },
    ]);
    expect(await list('/network/security-groups')).toMatchObject([
      { name: 'default', is_default: true, rules: [{ direction: 'egress', protocol: 'any', cidr: '0.0.0.0/0' }] },
    ]);
  });

  test('gets them once, however many look at the same time', async () => {
    globalThis.nepheleNetworkedProjects?.clear();
    await Promise.all(Array.from({ length: 20 }, () => list('/network/networks')));
    const where = { project_id: acme.id };
    expect(await prisma().router.count({ where })).toBe(1);
    expect(await prisma().network.count({ where })).toBe(1);
    expect(await prisma().securityGroup.count({ where })).toBe(1);
  });

  test('from before networks were gets them too, and what it deleted does not come back', async () => {
    await ensureAllNetworking();
    expect(await prisma().network.count({ where: { project_id: acme.id } })).toBe(1);
    expect((await remove(await defaultNetwork(acme))).status).toBe(204);
    globalThis.nepheleNetworkedProjects?.clear();
    await ensureAllNetworking();
    expect(await list('/network/networks')).toEqual([]);
  });

  test('can be given them by the statement that makes it', () => {
    const at = new Date();
    const names = Object.keys(defaultNetworkRows(acme.id, at, ifAdmitted));
    expect(names).toEqual(['router', 'network', 'subnet', 'security_group', 'security_group_rule']);
  });
});

describe('a network', () => {
  test('is what was asked for, with a gateway where none was named', async () => {
    const answer = await create({ cidr: '172.16.8.0/22', dhcp_enabled: false, dns_servers: ['9.9.9.9'] });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      cidr: '172.16.8.0/22',
      gateway_ip: '172.16.8.1',
      dhcp_enabled: false,
      dns_servers: ['9.9.9.9'],
      subnets: [{ cidr: '172.16.8.0/22', gateway_ip: '172.16.8.1', dhcp_enabled: false, dns_servers: ['9.9.9.9'] }],
      address_count: 1021,
    });
    expect(await list(`/network/networks/${idOf(answer)}`)).toEqual(answer.body);
  });

  test.each([
    ['no range', 'ten dot zero', /cidr/],
    ['an address', '10.20.0.0', /cidr/],
    ['bits of a host', '10.20.0.7/24', /did you mean 10\.20\.0\.0\/24/],
    ['a public range', '8.8.8.0/24', /RFC 1918/],
    ['loopback', '127.0.0.0/16', /RFC 1918/],
    ['more than private', '172.0.0.0/16', /RFC 1918/],
    ['a range that is too wide', '10.0.0.0/8', /\/16 to \/29/],
    ['a range that is too narrow', '10.20.0.0/30', /\/16 to \/29/],
    ['IPv6', 'fd00::/64', /cidr/],
  ])('is refused with %s', async (_, cidr, message) => {
    const answer = await create({ cidr });
    expect([answer.status, answer.body]).toMatchObject([400, error('INVALID_REQUEST', message)]);
  });

  test.each(['10.20.1.1', '10.20.0.0', '10.20.0.255', 'x'])('is refused with the gateway %s', async (gateway_ip) => {
    const answer = await create({ cidr: '10.20.0.0/24', gateway_ip });
    expect([answer.status, answer.body]).toMatchObject([400, error('INVALID_REQUEST', /gateway_ip/)]);
  });

  test('that overlaps another of the project is refused by the name of that one', async () => {
    await create({ name: 'backend', cidr: '10.20.0.0/16' });
    for (const cidr of ['10.20.0.0/16', '10.20.5.0/24']) {
      expect((await create({ cidr })).body).toMatchObject(
        error('CONFLICT', /overlaps 10\.20\.0\.0\/16 of network "backend"/),
      );
    }
    const other = await createProject('other');
    const body = { name: 'net', cidr: '10.20.0.0/16' };
    expect((await call('POST', '/network/networks', { token: other.users.member.token, body })).status).toBe(201);
  });

  test('of twenty overlapping ones at once is one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create({ cidr: index % 2 ? '10.30.0.0/16' : `10.30.${index}.0/24` })),
    );
    const created = await prisma().subnet.findMany({ where: { project_id: acme.id } });
    const wide = created.filter(({ cidr }) => cidr.startsWith('10.30.') && cidr.endsWith('/16'));
    const narrow = created.filter(({ cidr }) => cidr.startsWith('10.30.') && cidr.endsWith('/24'));
    expect([wide.length, narrow.length]).toEqual(wide.length > 0 ? [1, 0] : [0, narrow.length]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(created.length - 1);
    for (const { status } of answers) expect([201, 409]).toContain(status);
  });

  test('with instances on it stays, and says how many', async () => {
    const network_id = await defaultNetwork(acme);
    await launch(call, acme);
    expect((await remove(network_id)).body).toMatchObject(error('CONFLICT', /has 1 port: delete the instances/));
    expect(await list(`/network/networks/${network_id}`)).toMatchObject({ port_count: 1 });
  });

  test('that gets a port while it is being deleted keeps both, or neither', async () => {
    for (let round = 0; round < 10; round += 1) {
      const network_id = idOf(await create({ cidr: `10.40.${round}.0/24` }));
      const [launched, deleted] = await Promise.all([launch(call, acme, { network_id }), remove(network_id)]);
      expect([launched.status, deleted.status]).toEqual(launched.status === 201 ? [201, 409] : [404, 204]);
    }
  });
});

describe('the router', () => {
  test('is read by its id as the list shows it', async () => {
    const [router] = (await list('/network/routers')) as { id: string }[];
    expect(await list(`/network/routers/${router?.id}`)).toEqual(router);
  });
});

describe('ports', () => {
  test('are listed with their addresses, groups and floating IPs', async () => {
    const instance = await launch(call, acme);
    const [port] = (await list(`/network/ports?instance_id=${idOf(instance)}`)) as { id: string }[];
    expect(port).toMatchObject({
      ip: '10.0.0.2',
      status: 'down',
      floating_ip: null,
      mac: expect.stringMatching(/^02(:[0-9a-f]{2}){5}$/),
    });
    expect(instance.body).toMatchObject({ addresses: [{ port_id: port?.id, ip: '10.0.0.2' }] });
  });

  test('are found by address, MAC, instance, network, group and state, each with the names of what it joins', async () => {
    const { token } = acme.users.member;
    const group = idOf(await call('POST', '/network/security-groups', { token, body: { name: 'web' } }));
    const web = idOf(await launch(call, acme, { name: 'web-1', security_group_ids: [group] }));
    await launch(call, acme, { name: 'db_1' });
    await prisma().instance.update({ where: { id: web }, data: { status: 'active' } });
    const found = async (query: string) =>
      ((await list(`/network/ports?${query}`)) as { instance_name: string }[]).map((port) => port.instance_name);
    const [port] = (await list(`/network/ports?instance_id=${web}`)) as { id: string; ip: string; mac: string }[];
    expect(port).toMatchObject({ network_name: 'default', instance_name: 'web-1', status: 'active' });
    expect(await list(`/network/ports/${port?.id}`)).toEqual(port);
    expect(await found('')).toEqual(['db_1', 'web-1']);
    expect(await found('search=WEB')).toEqual(['web-1']);
    expect(await found(`search=${port?.ip}`)).toEqual(['web-1']);
    expect(await found(`search=${port?.mac}`)).toEqual(['web-1']);
    expect(await found('search=b_1')).toEqual(['db_1']);
    expect(await found(`security_group_id=${group}`)).toEqual(['web-1']);
    expect([await found('status=active'), await found('status=down')]).toEqual([['web-1'], ['db_1']]);
  });

  test('carry exactly the groups they are given', async () => {
    const { token } = acme.users.member;
    const instance = await launch(call, acme);
    const [port] = (await list(`/network/ports?instance_id=${idOf(instance)}`)) as { id: string }[];
    const group = idOf(await call('POST', '/network/security-groups', { token, body: { name: 'web' } }));
    for (const security_group_ids of [[group], [], [group]]) {
      const answer = await call('PATCH', `/network/ports/${port?.id}`, { token, body: { security_group_ids } });
      expect([answer.status, answer.body]).toMatchObject([200, { security_group_ids }]);
      expect(await list(`/network/ports?instance_id=${idOf(instance)}`)).toMatchObject([{ security_group_ids }]);
    }
    const body = { security_group_ids: ['no-id'] };
    expect((await call('PATCH', `/network/ports/${port?.id}`, { token, body })).status).toBe(404);
  });
});
