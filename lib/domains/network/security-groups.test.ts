import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prisma } from '@/lib/core/db/prisma';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
let group: string;
beforeAll(() => createCell());
beforeEach(async () => {
  acme = await createProject('acme');
  group = idOf(await post('', { name: 'web' }));
});

const post = (path: string, body: object) =>
  call('POST', `/network/security-groups${path}`, { token: acme.users.member.token, body });
const remove = (path: string) => call('DELETE', `/network/security-groups${path}`, { token: acme.users.member.token });
const read = async (id = group) =>
  (await call('GET', `/network/security-groups/${id}`, { token: acme.users.reader.token })).body;
const revision = async () => (await prisma().router.findFirstOrThrow({ where: { project_id: acme.id } })).revision;
const error = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });
const rule = { direction: 'ingress', protocol: 'tcp', port_range_min: 80, cidr: '0.0.0.0/0' };

describe('a rule', () => {
  test('of one port, a range, all ports, or none', async () => {
    expect((await post(`/${group}/rules`, rule)).body).toMatchObject({ port_range_min: 80, port_range_max: 80 });
    const range = { ...rule, port_range_min: 8000, port_range_max: 9000, cidr: '10.0.0.0/8' };
    expect((await post(`/${group}/rules`, range)).body).toMatchObject(range);
    const udp = { direction: 'egress', protocol: 'udp', cidr: '1.2.3.4/32' };
    expect((await post(`/${group}/rules`, udp)).body).toMatchObject({
      ...udp,
      port_range_min: null,
      port_range_max: null,
    });
    expect((await post(`/${group}/rules`, { direction: 'ingress', protocol: 'icmp', cidr: '0.0.0.0/0' })).status).toBe(
      201,
    );
    expect(await read()).toMatchObject({ rules: [{ direction: 'egress', protocol: 'any' }, {}, {}, {}, {}] });
  });

  test.each([
    ['ports of icmp', { protocol: 'icmp' }, /only tcp and udp have ports/],
    ['a range upside down', { port_range_max: 79 }, /must not be below/],
    ['an end without a beginning', { port_range_min: undefined, port_range_max: 80 }, /port_range_min/],
    ['a port beyond 65535', { port_range_min: 70_000 }, /port_range_min/],
    ['an address with bits of a host', { cidr: '10.0.0.7/8' }, /did you mean 10\.0\.0\.0\/8/],
    ['no cidr', { cidr: undefined }, /cidr/],
    ['a protocol that is none', { protocol: 'gre' }, /protocol/],
  ])('is refused with %s', async (_, change, message) => {
    const answer = await post(`/${group}/rules`, { ...rule, ...change });
    expect([answer.status, answer.body]).toMatchObject([400, error('INVALID_REQUEST', message)]);
  });

  test('exists once, also when ten are added at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(`/${group}/rules`, rule)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    expect(await read()).toMatchObject({ rules: [{ direction: 'egress' }, { direction: 'ingress' }] });
  });

  test('that comes or goes is work for the host at once', async () => {
    const before = await revision();
    const id = idOf(await post(`/${group}/rules`, rule));
    expect(await revision()).toBe(before + 1);
    expect((await remove(`/rules/${id}`)).status).toBe(204);
    expect(await revision()).toBe(before + 2);
    expect((await remove(`/rules/${id}`)).status).toBe(404);
  });
});

describe('a group', () => {
  test('lets everything out and nothing in', async () => {
    expect(await read()).toMatchObject({
      rules: [{ direction: 'egress', protocol: 'any', port_range_min: null, port_range_max: null, cidr: '0.0.0.0/0' }],
      port_count: 0,
    });
  });

  test('that a port carries stays', async () => {
    await launch(call, acme, { security_group_ids: [group] });
    expect(await read()).toMatchObject({ port_count: 1 });
    expect((await remove(`/${group}`)).body).toMatchObject(error('CONFLICT', /is in use/));
  });

  test('that a port gets while it is being deleted stays, or was gone before', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = idOf(await post('', { name: `group ${round}` }));
      const [launched, deleted] = await Promise.all([
        launch(call, acme, { security_group_ids: [id] }),
        remove(`/${id}`),
      ]);
      expect([launched.status, deleted.status]).toEqual(launched.status === 201 ? [201, 409] : [404, 204]);
    }
  });

  test('of default stays, others go with their rules', async () => {
    const { id } = await prisma().securityGroup.findFirstOrThrow({ where: { project_id: acme.id, is_default: true } });
    expect((await remove(`/${id}`)).body).toMatchObject(error('CONFLICT', /default/));
    await post(`/${group}/rules`, rule);
    expect((await remove(`/${group}`)).status).toBe(204);
    expect(await prisma().securityGroupRule.count({ where: { security_group_id: group } })).toBe(0);
  });
});
