import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { prisma } from '@/lib/core/db/prisma';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { race } from '@/lib/testing/race';
import { api, createProject, type TestProject } from '@/lib/testing/world';

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
});

const post = (path: string, body: object = {}, project = acme) =>
  call('POST', `/network/floating-ips${path}`, { token: project.users.member.token, body });
const release = (id: string) => call('DELETE', `/network/floating-ips/${id}`, { token: acme.users.member.token });
const list = async (query = '') =>
  (await call('GET', `/network/floating-ips${query}`, { token: acme.users.reader.token })).body;
const error = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });

async function pool(...ranges: [first: string, last: string][]): Promise<string> {
  const cell = await createCell(`host-${newId()}`, {
    ranges: ranges.map(([first, last]) => ({ first, last })),
    memory_mb: 0,
  });
  await defaultNetwork(acme);
  await prisma().router.update({ where: { project_id: acme.id }, data: { cell_id: cell } });
  return cell;
}

test('allocate, associate, disassociate and release, each seen in the list and at the instance', async () => {
  const address = await post('');
  const id = idOf(address);
  expect([address.status, address.body]).toMatchObject([201, { status: 'available', port_id: null, forwards: [] }]);
  const instance = idOf(await launch(call, acme));
  const bound = await post(`/${id}/associate`, { instance_id: instance });
  expect([bound.status, bound.body]).toMatchObject([
    200,
    { status: 'associated', instance_id: instance, fixed_ip: '10.0.0.2', port_id: expect.any(String) },
  ]);
  expect(await list(`?instance_id=${instance}`)).toEqual([bound.body]);
  expect(bound.body).toMatchObject({ instance_name: 'web' });
  expect(await list('?search=WE')).toEqual([bound.body]);
  expect(await list(`?search=${(bound.body as { address: string }).address}`)).toEqual([bound.body]);
  expect(await list('?search=nothing')).toEqual([]);
  const { addresses } = (await call('GET', `/compute/instances/${instance}`, { token: acme.users.reader.token }))
    .body as {
    addresses: object[];
  };
  expect(addresses).toMatchObject([{ floating_ip: (address.body as { address: string }).address }]);
  expect((await release(id)).body).toMatchObject(error('CONFLICT', /disassociate it first/));
  expect((await post(`/${id}/disassociate`)).body).toMatchObject({ status: 'available', fixed_ip: null });
  expect((await release(id)).status).toBe(204);
  expect(await list()).toEqual([]);
});

test('parallel allocations get addresses of their own, until the pool is empty', async () => {
  await pool(['192.0.2.1', '192.0.2.4'], ['198.51.100.8', '198.51.100.9']);
  const answers = await Promise.all(Array.from({ length: 10 }, () => post('')));
  const given = answers.filter(({ status }) => status === 201).map(({ body }) => (body as { address: string }).address);
  const inSecondRange = ['198.51.100.8', '198.51.100.9'];
  expect(given.sort()).toEqual([...[1, 2, 3, 4].map((last) => `192.0.2.${last}`), ...inSecondRange]);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused).toHaveLength(4);
  expect(refused[0]?.body).toMatchObject(error('CAPACITY_EXHAUSTED', /No floating IPs are left/));
});

test('an address that the cell has just withdrawn from its pool is not given out', async () => {
  const cell = await pool(['192.0.2.1', '192.0.2.6']);
  const withdraw = `WITH locked AS (SELECT FROM project_accounts WHERE project_id = '${acme.id}' FOR UPDATE)
    DELETE FROM floating_ip_ranges USING locked WHERE cell_id = '${cell}'`;
  const [refused] = await race(withdraw, [() => post('')]);
  expect(refused?.body).toMatchObject(error('CONFLICT', /just been withdrawn from the pool/));
  expect(await list()).toEqual([]);
});

test('the ranges of a cell are those of its last report', async () => {
  const cell = await pool(['192.0.2.1', '192.0.2.6'], ['198.51.100.8', '198.51.100.9']);
  await createCell(cell, { ranges: [{ first: '192.0.2.1', last: '192.0.2.2' }], memory_mb: 0 });
  expect(await prisma().floatingIpRange.findMany({ where: { cell_id: cell } })).toEqual([
    { cell_id: cell, first: '192.0.2.1', last: '192.0.2.2' },
  ]);
});

describe('a binding is refused', () => {
  test('twice for one address, and twice for one port', async () => {
    const [one, two] = [idOf(await post('')), idOf(await post(''))];
    const instance_id = idOf(await launch(call, acme));
    await post(`/${one}/associate`, { instance_id });
    expect((await post(`/${one}/associate`, { instance_id })).body).toMatchObject(
      error('CONFLICT', /already associated/),
    );
    expect((await post(`/${two}/associate`, { instance_id })).body).toMatchObject(
      error('CONFLICT', /already has a floating IP/),
    );
    expect((await post(`/${two}/disassociate`)).body).toMatchObject(error('CONFLICT', /is not associated/));
  });

  test('to one port by two at the same time but for one of them', async () => {
    const ids = [idOf(await post('')), idOf(await post(''))];
    const instance_id = idOf(await launch(call, acme));
    const answers = await Promise.all(ids.map((id) => post(`/${id}/associate`, { instance_id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test.each(['port_id', 'instance_id', 'load_balancer_id'])('to an unknown %s, by its name', async (field) => {
    const id = idOf(await post(''));
    for (const value of [newId(), 'no-id']) {
      const answer = await post(`/${id}/associate`, { [field]: value });
      expect([answer.status, answer.body]).toMatchObject([404, error('RESOURCE_NOT_FOUND', new RegExp(`^${field}`))]);
    }
  });

  test('to what another tenant has', async () => {
    const owner = await createProject('owner');
    const theirs = idOf(await launch(call, owner));
    const id = idOf(await post(''));
    expect((await post(`/${id}/associate`, { instance_id: theirs })).status).toBe(404);
    const { id: port_id } = await prisma().port.findFirstOrThrow({ where: { device_id: theirs } });
    expect((await post(`/${id}/associate`, { port_id })).status).toBe(404);
    const claim = prisma().floatingIp.update({ where: { id }, data: { port_id } });
    await expect(claim).rejects.toThrow();
  });

  test.each([[{}], [{ port_id: newId(), instance_id: newId() }]])('to none or two: %j', async (body) => {
    const id = idOf(await post(''));
    expect((await post(`/${id}/associate`, body)).status).toBe(400);
  });
});
