import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { createCell, NANO, TINY_IMAGE, UPLOADED } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { type Answer, api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
});

const many = (count: number, body: object = {}) =>
  Promise.all(Array.from({ length: count }, () => launch(call, acme, body)));
const withStatus = (answers: readonly Answer[], status: number) => answers.filter((answer) => answer.status === status);
const quota = () =>
  queryOne(sql`SELECT instances_used::float8 AS instances, vcpus_used::float8 AS vcpus, ram_gb_used::float8 AS ram_gb
    FROM project_accounts WHERE project_id = ${acme.id}::uuid`);
const raise = (instances: number) =>
  execute(sql`UPDATE project_accounts SET instances_limit = ${instances}::int, vcpus_limit = 10000, ram_gb_limit = 10000
    WHERE project_id = ${acme.id}::uuid`);
const reserved = (host = 'test-host') =>
  queryOne(sql`SELECT vcpus_reserved AS vcpus, memory_mb_reserved AS memory_mb, disk_gb_reserved AS disk_gb
    FROM cells WHERE id = ${host}::text`);
const error = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });

async function flavorNamed(name: string): Promise<string> {
  return (await prisma().flavor.findUniqueOrThrow({ where: { name } })).id;
}

/** Moves a project that has nothing yet onto a host of its own, with exactly this much room. */
async function onHostOfItsOwn(room: Parameters<typeof createCell>[1]): Promise<string> {
  await defaultNetwork(acme);
  const host = await createCell(`host-${newId()}`, room);
  await execute(sql`UPDATE routers SET cell_id = ${host}::text WHERE project_id = ${acme.id}::uuid`);
  return host;
}

async function network(cidr: string): Promise<string> {
  const body = { name: cidr, cidr };
  return idOf(await call('POST', '/network/networks', { token: acme.users.member.token, body }));
}

describe('quota', () => {
  test('fifty parallel creates at a limit of ten leave exactly ten', async () => {
    const answers = await many(50);
    expect([withStatus(answers, 201), withStatus(answers, 403)].map(({ length }) => length)).toEqual([10, 40]);
    expect(withStatus(answers, 403)[0]?.body).toEqual({
      detail: 'Quota exceeded for instances: limit 10, in use 10. Ask an administrator to raise instances_limit.',
    });
    expect(await quota()).toEqual({ instances: 10, vcpus: 10, ram_gb: 2.5 });
    const where = { project_id: acme.id };
    expect(await prisma().instance.count({ where })).toBe(10);
    expect(await prisma().operation.count({ where: { ...where, kind: 'instance.create', cell_id: 'test-host' } })).toBe(
      10,
    );
  });

  test('names the first exceeded dimension in the order of the record', async () => {
    await execute(sql`UPDATE project_accounts SET vcpus_limit = 1, ram_gb_limit = 0.2, instances_limit = 0
      WHERE project_id = ${acme.id}::uuid`);
    const medium = await launch(call, acme, { flavor_id: await flavorNamed('medium') });
    expect(medium.body).toEqual({
      detail: 'Quota exceeded for vcpus: limit 1, in use 0. Ask an administrator to raise vcpus_limit.',
    });
    expect((await launch(call, acme)).body).toEqual({
      detail: 'Quota exceeded for ram_gb: limit 0.2, in use 0. Ask an administrator to raise ram_gb_limit.',
    });
  });

  test('a refused create leaves nothing: no row, no port, no operation, no promise of the host', async () => {
    await raise(0);
    const before = await reserved();
    expect((await launch(call, acme)).status).toBe(403);
    const where = { project_id: acme.id };
    expect(await prisma().instance.count({ where })).toBe(0);
    expect(await prisma().port.count({ where })).toBe(0);
    expect(await prisma().operation.count({ where })).toBe(0);
    expect(await prisma().quotaLedger.count({ where })).toBe(0);
    expect(await reserved()).toEqual(before);
  });
});

describe('addresses', () => {
  test('a hundred parallel creates get a hundred addresses, none of them the gateway', async () => {
    await raise(100);
    const answers = await many(100);
    expect(withStatus(answers, 201)).toHaveLength(100);
    const ports = await query<{ ip: string; mac: string }>(
      sql`SELECT host(ip) AS ip, mac FROM ports WHERE project_id = ${acme.id}::uuid`,
    );
    const ips = new Set(ports.map(({ ip }) => ip));
    expect(ips.size).toBe(100);
    expect(new Set(ports.map(({ mac }) => mac)).size).toBe(100);
    for (const reservedIp of ['10.0.0.0', '10.0.0.1', '10.0.0.255']) expect(ips.has(reservedIp)).toBe(false);
    for (const ip of ips) expect(ip).toMatch(/^10\.0\.0\.\d+$/);
  });

  test('a full network refuses in words, and every one of its addresses was given out', async () => {
    await raise(100);
    const network_id = await network('10.50.0.0/29');
    const answers = await many(12, { network_id });
    // Eight addresses, less network, broadcast and gateway.
    expect(withStatus(answers, 201)).toHaveLength(5);
    const refused = withStatus(answers, 409);
    expect(refused).toHaveLength(7);
    expect(refused[0]?.body).toMatchObject(error('CONFLICT', /network .* has no free addresses/));
    expect(await quota()).toMatchObject({ instances: 5 });
  });
});

describe('room on the host', () => {
  test('parallel creates never get more than the host has', async () => {
    await raise(100);
    // Each nano takes 256 MB and 160 MB besides.
    const host = await onHostOfItsOwn({ memory_mb: 3 * 416 + 100 });
    const answers = await many(20);
    expect(withStatus(answers, 201)).toHaveLength(3);
    const refused = withStatus(answers, 503);
    expect(refused).toHaveLength(17);
    expect(refused[0]?.body).toMatchObject(
      error('CAPACITY_EXHAUSTED', /No host has enough free capacity for flavor nano/),
    );
    expect(await reserved(host)).toEqual({ vcpus: 3, memory_mb: 3 * 416, disk_gb: 6 });
    expect(await quota()).toMatchObject({ instances: 3 });
  });

  test.each([
    ['processors', { vcpus: 0 }],
    ['disk', { disk_gb: 1 }],
  ])('is refused for want of %s', async (_, room) => {
    await onHostOfItsOwn(room);
    expect((await launch(call, acme)).body).toMatchObject(error('CAPACITY_EXHAUSTED', /enough free capacity/));
  });

  test('a flavor with GPU slices has none on a host without', async () => {
    const answer = await launch(call, acme, { flavor_id: await flavorNamed('gpu-small') });
    expect(answer.body).toMatchObject(error('CAPACITY_EXHAUSTED', /1 GPU slices/));
  });

  test('a breached quota is told before a full host', async () => {
    await onHostOfItsOwn({ memory_mb: 0 });
    await raise(0);
    expect((await launch(call, acme)).status).toBe(403);
  });

  test('an engine that lacks a program is named with what to install', async () => {
    const host = await onHostOfItsOwn({});
    const report = { cell_id: host, engine: 'compute', status: 'unavailable', details: {}, updated_at: new Date() };
    await prisma().engineReport.create({ data: { ...report, message: 'Missing: qemu. Run: apt install qemu' } });
    expect((await launch(call, acme)).body).toMatchObject(error('ENGINE_UNAVAILABLE', /apt install qemu/));
  });

  test('a host whose worker is silent takes on nothing new', async () => {
    const host = await onHostOfItsOwn({});
    await execute(sql`UPDATE cells SET seen_at = seen_at - interval '1 hour' WHERE id = ${host}::text`);
    expect((await launch(call, acme)).body).toMatchObject(error('ENGINE_UNAVAILABLE', /has not reported/));
  });
});

describe('what a request names', () => {
  const foreign = async () => {
    const owner = await createProject('owner');
    const { token } = owner.users.member;
    return {
      network_id: await defaultNetwork(owner),
      security_group_ids: [(await prisma().securityGroup.findFirstOrThrow({ where: { project_id: owner.id } })).id],
      key_pair_id: idOf(await call('POST', '/compute/keypairs', { token, body: { name: 'theirs' } })),
    };
  };

  test.each(['flavor_id', 'image_id', 'network_id', 'key_pair_id'])(
    'an unknown or malformed %s answers 404 by its name',
    async (field) => {
      for (const value of [newId(), 'no-id']) {
        const answer = await launch(call, acme, { [field]: value });
        expect([answer.status, answer.body]).toMatchObject([
          404,
          error('RESOURCE_NOT_FOUND', new RegExp(`^${field}:`)),
        ]);
      }
    },
  );

  test.each(['security_group_ids', 'volume_ids'])('an unknown id in %s answers 404 by its place', async (field) => {
    const answer = await launch(call, acme, { [field]: ['no-id'] });
    expect([answer.status, answer.body]).toMatchObject([404, error('RESOURCE_NOT_FOUND', new RegExp(`^${field}.0:`))]);
  });

  test.each(['network_id', 'security_group_ids', 'key_pair_id'] as const)(
    "another tenant's %s does not exist",
    async (field) => {
      const answer = await launch(call, acme, { [field]: (await foreign())[field] });
      expect([answer.status, answer.body]).toMatchObject([404, error('RESOURCE_NOT_FOUND', new RegExp(`^${field}`))]);
    },
  );

  test("another tenant's image does not exist, and the database refuses it too", async () => {
    const owner = await createProject('owner');
    const times = { created_at: new Date(), updated_at: new Date() };
    const image = {
      id: newId(),
      name: 'theirs',
      format: 'RAW',
      status: 'active',
      source: UPLOADED,
      min_disk_gb: 1,
      ...times,
    };
    await prisma().image.create({ data: { ...image, project_id: owner.id, owner_id: owner.id } });
    expect((await launch(call, acme, { image_id: image.id })).body).toMatchObject(
      error('RESOURCE_NOT_FOUND', /^image_id/),
    );
    const { id } = await prisma().instance.findFirstOrThrow({
      where: { id: idOf(await launch(call, acme)) },
    });
    const claim = prisma().instance.update({ where: { id }, data: { image_id: image.id, image_owner_id: owner.id } });
    await expect(claim).rejects.toThrow(/instances_image_check/);
  });

  test('an image that needs a larger disk is refused before anything else', async () => {
    const times = { created_at: new Date(), updated_at: new Date() };
    const image = {
      id: newId(),
      name: 'large',
      format: 'RAW',
      status: 'active',
      source: UPLOADED,
      min_disk_gb: 3,
      ...times,
    };
    await prisma().image.create({ data: { ...image, project_id: acme.id, owner_id: acme.id } });
    expect((await launch(call, acme, { image_id: image.id })).body).toMatchObject(
      error('INVALID_REQUEST', /image large requires a disk of at least 3 GB; flavor nano has 2 GB/),
    );
  });

  test.each([
    ['an empty name', { name: ' ' }],
    ['a broken key', { ssh_public_key: 'ssh-ed25519 AAAA' }],
    ['user data that is too large', { user_data: 'x'.repeat(64 * 1024 + 1) }],
    [
      'both a key and a key pair',
      {
        key_pair_id: newId(),
        ssh_public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDn6+sBBxxLqNXxRMDZLj6YvBmGHPSpCuOJmUYgMCHsa',
      },
    ],
    ['an unknown field', { flavour: 'x' }],
  ])('%s is a bad request', async (_, body) => {
    expect((await launch(call, acme, body)).body).toMatchObject(error('INVALID_REQUEST', /./));
    expect(await prisma().instance.count({ where: { project_id: acme.id } })).toBe(0);
  });
});

test('a create answers with all that it will be, and reading gives the same', async () => {
  const created = await launch(call, acme, { name: 'Wëb Server #1' });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    name: 'Wëb Server #1',
    hostname: 'we-b-server-1',
    status: 'provisioning',
    task: 'creating',
    fault: null,
    flavor: { id: NANO, name: 'nano', vcpus: 1, ram_gb: 0.25, disk_gb: 2 },
    image: { id: TINY_IMAGE, name: 'nephele-tiny' },
    addresses: [{ ip: '10.0.0.2', floating_ip: null }],
  });
  const read = await call('GET', `/compute/instances/${idOf(created)}`, { token: acme.users.reader.token });
  expect(read.body).toEqual(created.body);
  expect(read.text).not.toContain('user_data');
});

test('a repeated Idempotency-Key makes one instance, with one address', async () => {
  const network_id = await defaultNetwork(acme);
  const body = { name: 'once', flavor_id: NANO, image_id: TINY_IMAGE, network_id };
  const headers = { 'Idempotency-Key': 'once' };
  const { token } = acme.users.member;
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call('POST', '/compute/instances', { token, body, headers })),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await prisma().instance.count({ where: { project_id: acme.id } })).toBe(1);
});
