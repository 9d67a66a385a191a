import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { race } from '@/lib/testing/race';
import { type Answer, api, createProject, type TestProject } from '@/lib/testing/world';

// No worker runs here: what the API alone admits and refuses.

testDatabase();
const call = api();
let acme: TestProject;
let other: TestProject;
beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
  other = await createProject('other');
});

const post = (path: string, body: object = {}, project = acme) =>
  call('POST', `/storage/${path}`, { token: project.users.member.token, body });
const create = (body: object = {}) => post('volumes', { name: 'data', size_gb: 1, ...body });
const remove = (path: string, project = acme) =>
  call('DELETE', `/storage/${path}`, { token: project.users.member.token });
const withStatus = (answers: readonly Answer[], status: number) => answers.filter((answer) => answer.status === status);
const error = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });
const used = () =>
  queryOne(sql`SELECT volumes_used::float8 AS volumes, storage_tb_used::text AS storage_tb
    FROM project_accounts WHERE project_id = ${acme.id}::uuid`);
const limit = (volumes: number, storage_tb: number) =>
  execute(sql`UPDATE project_accounts SET volumes_limit = ${volumes}::int, storage_tb_limit = ${storage_tb}::numeric
    WHERE project_id = ${acme.id}::uuid`);
const reserved = (host = 'test-host') =>
  queryOne<{ gb: number }>(sql`SELECT disk_gb_reserved AS gb FROM cells WHERE id = ${host}::text`);
const force = (id: string, status: string) =>
  execute(sql`UPDATE volumes SET status = ${status}::text WHERE id = ${id}::uuid`);

async function available(body: object = {}): Promise<string> {
  const id = idOf(await create(body));
  await force(id, 'available');
  return id;
}

async function onHostOfItsOwn(disk_gb: number): Promise<string> {
  await defaultNetwork(acme);
  const host = await createCell(`host-${newId()}`, { disk_gb, memory_mb: 0 });
  await execute(sql`UPDATE routers SET cell_id = ${host}::text WHERE project_id = ${acme.id}::uuid`);
  return host;
}

async function instance(status: string): Promise<string> {
  const id = idOf(await launch(call, acme));
  await execute(sql`UPDATE instances SET status = ${status}::text, task = NULL WHERE id = ${id}::uuid`);
  return id;
}

describe('quota', () => {
  test('fifty parallel creates at a limit of ten leave exactly ten', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create()));
    expect([withStatus(answers, 201), withStatus(answers, 403)].map(({ length }) => length)).toEqual([10, 40]);
    expect(withStatus(answers, 403)[0]?.body).toEqual({
      detail: 'Quota exceeded for volumes: limit 10, in use 10. Ask an administrator to raise volumes_limit.',
    });
    const where = { project_id: acme.id };
    expect(await prisma().volume.count({ where })).toBe(10);
    expect(await prisma().operation.count({ where: { ...where, kind: 'volume.create' } })).toBe(10);
    expect(await used()).toEqual({ volumes: 10, storage_tb: '0.0097656250' });
  });

  test('storage is counted exactly: two hundred and fifty-six volumes of 1 GB are a quarter of a TB', async () => {
    await limit(2000, 0.25);
    for (let made = 0; made < 256; made += 64) await Promise.all(Array.from({ length: 64 }, () => create()));
    expect(await used()).toEqual({ volumes: 256, storage_tb: '0.2500000000' });
    expect((await create()).body).toEqual({
      detail: 'Quota exceeded for storage_tb: limit 0.25, in use 0.25. Ask an administrator to raise storage_tb_limit.',
    });
  });

  test('of steps of a hundredth of a TB, as many fit as the limit holds', async () => {
    await limit(10, 0.05);
    // 10 GB are 0.009765625 TB: five are 0.048828125.
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ size_gb: 10 })));
    expect([withStatus(answers, 201), withStatus(answers, 403)].map(({ length }) => length)).toEqual([5, 3]);
    expect((await create({ size_gb: 1 })).status).toBe(201);
    expect(await used()).toEqual({ volumes: 6, storage_tb: '0.0498046875' });
  });

  test('a refused create leaves nothing: no row, no operation, no promise of the host', async () => {
    await limit(0, 5);
    const before = await reserved();
    expect((await create()).status).toBe(403);
    const where = { project_id: acme.id };
    expect(await prisma().volume.count({ where })).toBe(0);
    expect(await prisma().operation.count({ where })).toBe(0);
    expect(await prisma().quotaLedger.count({ where })).toBe(0);
    expect(await reserved()).toEqual(before);
  });

  test('a resize claims the difference, and of many at once only one is admitted', async () => {
    await limit(10, 0.02);
    const id = await available({ size_gb: 10 });
    expect((await post(`volumes/${id}/resize`, { size_gb: 21 })).body).toEqual({
      detail:
        'Quota exceeded for storage_tb: limit 0.02, in use 0.009765625. Ask an administrator to raise storage_tb_limit.',
    });
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(`volumes/${id}/resize`, { size_gb: 20 })));
    expect([withStatus(answers, 202), withStatus(answers, 409)].map(({ length }) => length)).toEqual([1, 5]);
    expect(withStatus(answers, 202)[0]?.body).toMatchObject({ id, size_gb: 20, status: 'resizing' });
    expect(await used()).toEqual({ volumes: 1, storage_tb: '0.0195312500' });
    expect(await prisma().quotaLedger.findMany({ where: { resource_id: id, dimension: 'storage_tb' } })).toHaveLength(
      1,
    );
  });
});

describe('room on the host', () => {
  test('parallel creates never get more disk than the host has', async () => {
    const host = await onHostOfItsOwn(25);
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ size_gb: 10 })));
    expect([withStatus(answers, 201), withStatus(answers, 503)].map(({ length }) => length)).toEqual([2, 6]);
    expect(withStatus(answers, 503)[0]?.body).toMatchObject(
      error('CAPACITY_EXHAUSTED', /does not have 10 GB of free capacity/),
    );
    expect(await reserved(host)).toEqual({ gb: 20 });
    const { id } = await prisma().volume.findFirstOrThrow({ where: { project_id: acme.id } });
    await force(id, 'available');
    expect((await post(`volumes/${id}/resize`, { size_gb: 16 })).body).toMatchObject(
      error('CAPACITY_EXHAUSTED', /does not have 6 GB of free capacity/),
    );
    expect((await post(`volumes/${id}/resize`, { size_gb: 15 })).status).toBe(202);
    expect(await reserved(host)).toEqual({ gb: 25 });
  });

  test('a breached quota is told before a full host', async () => {
    await onHostOfItsOwn(0);
    await limit(0, 5);
    expect((await create()).status).toBe(403);
  });

  test('an engine that lacks a program is named with what to install', async () => {
    const host = await onHostOfItsOwn(100);
    const report = { cell_id: host, engine: 'storage', status: 'unavailable', details: {}, updated_at: new Date() };
    await prisma().engineReport.create({
      data: { ...report, message: 'Missing: qemu-img. Run: apt install qemu-utils' },
    });
    expect((await create()).body).toMatchObject(error('ENGINE_UNAVAILABLE', /apt install qemu-utils/));
  });
});

describe('what a volume is made from', () => {
  test('an image or a snapshot that needs more is a bad request', async () => {
    const { id: image_id } = await prisma().image.findFirstOrThrow({ where: { name: 'Debian 12' } });
    expect((await create({ image_id })).body).toMatchObject(
      error('INVALID_REQUEST', /^size_gb: image Debian 12 requires a volume of at least 3 GB/),
    );
    expect((await create({ image_id, size_gb: 3 })).body).toMatchObject({ image_id, status: 'creating' });
    const volume_id = await available({ size_gb: 5 });
    const snapshot_id = idOf(await post('snapshots', { name: 'now', volume_id }));
    expect((await create({ snapshot_id })).body).toMatchObject(
      error('INVALID_REQUEST', /^size_gb: snapshot now requires a volume of at least 5 GB/),
    );
    expect((await create({ snapshot_id, size_gb: 5 })).body).toMatchObject(error('CONFLICT', /now is creating/));
    await execute(sql`UPDATE snapshots SET status = 'available' WHERE id = ${snapshot_id}::uuid`);
    expect((await create({ snapshot_id, size_gb: 5 })).body).toMatchObject({ snapshot_id, status: 'creating' });
    expect((await remove(`snapshots/${snapshot_id}`)).body).toMatchObject(error('CONFLICT', /data is being created/));
    const listed = async (query: string) =>
      (await call('GET', `/storage/volumes?${query}`, { token: acme.users.member.token })).body;
    expect(await listed(`snapshot_id=${snapshot_id}`)).toMatchObject([{ snapshot_id }]);
    expect(await listed(`image_id=${image_id}`)).toMatchObject([{ image_id }]);
  });

  test.each(['image_id', 'snapshot_id'])('an unknown or malformed %s answers 404 by its name', async (field) => {
    for (const value of [newId(), 'no-id']) {
      const answer = await create({ [field]: value });
      expect([answer.status, answer.body]).toMatchObject([404, error('RESOURCE_NOT_FOUND', new RegExp(`^${field}:`))]);
    }
  });

  test("another tenant's snapshot and volume do not exist", async () => {
    const volume_id = await available();
    const snapshot_id = idOf(await post('snapshots', { name: 'mine', volume_id }));
    await execute(sql`UPDATE snapshots SET status = 'available' WHERE id = ${snapshot_id}::uuid`);
    for (const [path, body] of [
      ['volumes', { name: 'x', size_gb: 1, snapshot_id }],
      ['snapshots', { name: 'x', volume_id }],
    ] as const) {
      expect((await post(path, body, other)).status).toBe(404);
    }
  });

  test.each([
    ['an empty name', { name: ' ' }],
    ['no room at all', { size_gb: 0 }],
    ['a broken size', { size_gb: 1.5 }],
    ['more than a volume can have', { size_gb: 16_385 }],
    ['both an image and a snapshot', { image_id: newId(), snapshot_id: newId() }],
  ])('%s is a bad request', async (_, body) => {
    expect((await create(body)).body).toMatchObject(error('INVALID_REQUEST', /./));
  });
});

describe('attaching', () => {
  test('takes an available volume and an instance that runs or is stopped', async () => {
    const instance_id = await instance('active');
    const id = await available();
    const answer = await post(`volumes/${id}/attach`, { instance_id });
    expect([answer.status, answer.body]).toMatchObject([
      202,
      { id, status: 'attaching', attachments: [{ instance_id, instance_name: 'web' }] },
    ]);
    const { body } = await call('GET', `/storage/volumes/${id}`, { token: acme.users.reader.token });
    expect(body).toEqual(answer.body);
    expect((await post(`volumes/${id}/attach`, { instance_id })).body).toMatchObject(
      error('CONFLICT', /data is attaching; only an available one/),
    );
    expect((await remove(`volumes/${id}`)).body).toMatchObject(
      error('CONFLICT', /^Volume data is attached to instance web: detach it first/),
    );
    await force(id, 'in_use');
    expect((await post(`volumes/${id}/detach`)).body).toMatchObject({ status: 'detaching' });
  });

  test.each(['provisioning', 'paused', 'rebooting', 'deleting', 'error'])(
    'refuses an instance that is %s',
    async (status) => {
      const instance_id = await instance(status);
      expect((await post(`volumes/${await available()}/attach`, { instance_id })).body).toMatchObject(
        error('CONFLICT', new RegExp(`web is ${status}`)),
      );
    },
  );

  test('refuses an instance on another host, one with a task, and one of another tenant', async () => {
    const instance_id = await instance('active');
    const id = await available();
    const attach = async () => (await post(`volumes/${id}/attach`, { instance_id })).body;
    await createCell('elsewhere', { memory_mb: 0 });
    await execute(sql`UPDATE instances SET cell_id = 'elsewhere' WHERE id = ${instance_id}::uuid`);
    expect(await attach()).toMatchObject(error('CONFLICT', /another host/));
    await execute(sql`UPDATE instances SET cell_id = 'test-host', task = 'stopping' WHERE id = ${instance_id}::uuid`);
    expect(await attach()).toMatchObject(error('CONFLICT', /web is stopping/));
    const theirs = idOf(await launch(call, other));
    expect((await post(`volumes/${id}/attach`, { instance_id: theirs })).body).toMatchObject(
      error('RESOURCE_NOT_FOUND', /^instance_id/),
    );
    expect((await post(`volumes/${id}/detach`)).body).toMatchObject(error('CONFLICT', /is not attached/));
  });

  test('a volume that many want at once gets into one instance', async () => {
    const instances = await Promise.all(Array.from({ length: 4 }, () => instance('active')));
    const id = await available();
    const answers = await Promise.all(instances.map((instance_id) => post(`volumes/${id}/attach`, { instance_id })));
    expect([withStatus(answers, 202), withStatus(answers, 409)].map(({ length }) => length)).toEqual([1, 3]);
    expect(await prisma().volumeAttachment.count({ where: { volume_id: id } })).toBe(1);
  });
});

describe('deleting', () => {
  test('a volume with snapshots is refused and names them', async () => {
    const volume_id = await available();
    for (const name of ['one', 'two']) await post('snapshots', { name, volume_id });
    expect((await remove(`volumes/${volume_id}`)).body).toMatchObject(
      error('CONFLICT', /^Volume data is what 2 snapshots one, two are of: delete those first/),
    );
  });

  test('is possible twice, and while it is being created', async () => {
    const id = idOf(await create());
    for (let time = 0; time < 2; time++) {
      const answer = await remove(`volumes/${id}`);
      expect([answer.status, answer.body]).toMatchObject([202, { id, status: 'deleting' }]);
    }
    // The quota is given back when it is gone, not before.
    expect(await used()).toEqual({ volumes: 1, storage_tb: '0.0009765625' });
  });

  test('and a snapshot that come at once: either the volume goes or the snapshot stays, never both', async () => {
    const volume_id = await available();
    const lock = `SELECT FROM project_accounts WHERE project_id = '${acme.id}' FOR UPDATE`;
    const answers = await race(lock, [
      () => remove(`volumes/${volume_id}`),
      () => post('snapshots', { name: 'late', volume_id }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(answers[0]?.status === 202 ? [202, 409] : [201, 409]);
  });
});

test('lists are the project’s own, and filtered', async () => {
  const mine = idOf(await create({ name: 'alpha' }));
  await create({ name: 'beta' });
  await post('volumes', { name: 'alpha', size_gb: 1 }, other);
  const ids = async (query: string) => {
    const { body } = await call('GET', `/storage/volumes?${query}`, { token: acme.users.reader.token });
    return Array.isArray(body) ? body.map(({ id }) => id) : body;
  };
  expect(await ids('name=alpha')).toEqual([mine]);
  expect(await ids('search=LPH&sort=name')).toEqual([mine]);
  expect(await ids('status=creating')).toHaveLength(2);
  expect(await ids('status=error')).toEqual([]);
});

test('a repeated Idempotency-Key makes one volume', async () => {
  const headers = { 'Idempotency-Key': 'once' };
  const { token } = acme.users.member;
  const body = { name: 'once', size_gb: 1 };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call('POST', '/storage/volumes', { token, body, headers })),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await used()).toEqual({ volumes: 1, storage_tb: '0.0009765625' });
});
