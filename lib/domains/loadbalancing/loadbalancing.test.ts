import { beforeEach, expect, test } from 'vitest';
import { execute } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { sampleServices } from '@/lib/hosts/services/samples';
import { ownCell, settings } from '@/lib/settings';
import { certificateUpload } from '@/lib/testing/certificates';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { defaultNetwork, idOf, launch } from '@/lib/testing/machines';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { spend } from '@/lib/testing/money';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { nodeSpecs } from './node-spec';
import type { LoadBalancer, Pool } from './schema';
import { balancerServices } from './work';

testDatabase();
const call = api();
let acme: TestProject;
beforeEach(async () => {
  await createCell();
  acme = await createProject('acme');
  await defaultNetwork(acme);
});

const token = (project: TestProject) => ({ token: project.users.member.token });
const member = (change: object = {}) => ({ address: '10.0.0.200', port: 8080, ...change });
const listener = (change: object = {}, ...members: object[]) => ({
  name: 'web',
  protocol: 'HTTP',
  port: 80,
  pool: { name: 'web', members },
  ...change,
});
const create = (listeners: object[], change: object = {}, project = acme) =>
  call('POST', '/lbaas/loadbalancers', { ...token(project), body: { name: 'shop', listeners, ...change } });
const poolsOf = async (id: string) =>
  (await call('GET', `/lbaas/pools?load_balancer_id=${id}`, token(acme))).body as Pool[];
/** As after the work of its operation. */
const settle = (id: string) => execute(sql`UPDATE load_balancers SET status = 'active' WHERE id = ${id}::uuid`);

test('a load balancer has listeners with pools and members, and a virtual IP that takes a floating IP', async () => {
  const created = await create([listener({}, member({ weight: 3 }))]);
  expect([created.status, created.body]).toMatchObject([
    201,
    {
      provisioning_status: 'pending_create',
      floating_ip: null,
      nodes: [
        { role: 'active', status: 'starting' },
        { role: 'stand_by', status: 'starting' },
      ],
      listeners: [{ port: 80, requests_total: 0 }],
    },
  ]);
  const id = idOf(created);
  expect(await poolsOf(id)).toMatchObject([
    { algorithm: 'round_robin', health_check: null, members: [{ name: '10.0.0.200', weight: 3, status: 'no_check' }] },
  ]);
  const { body } = await call('GET', `/lbaas/listeners?load_balancer_id=${id}`, token(acme));
  expect(body).toEqual((created.body as LoadBalancer).listeners);

  const address = await call('POST', '/network/floating-ips', { ...token(acme), body: {} });
  const bound = await call('POST', `/network/floating-ips/${idOf(address)}/associate`, {
    ...token(acme),
    body: { load_balancer_id: id },
  });
  expect([bound.status, bound.body]).toMatchObject([200, { fixed_ip: (created.body as LoadBalancer).vip_address }]);
  const { body: read } = await call('GET', `/lbaas/loadbalancers/${id}`, token(acme));
  expect(read).toMatchObject({ floating_ip: (address.body as { address: string }).address });
});

test('the metrics of its nodes are those of the load balancer', async () => {
  const { services } = useMemoryEngines();
  const id = idOf(await create([listener()]));
  for (const spec of await nodeSpecs(sql`b.id = ${id}::uuid`)) await services.ensureService(spec);
  await sampleServices(ownCell(), [balancerServices]);
  const query = 'nephele_load_balancer_memory_bytes';
  const { body } = await call('GET', `/observability/prometheus/api/v1/query?query=${query}`, token(acme));
  const { result } = (body as { data: { result: { metric: { node: string } }[] } }).data;
  const one = { resource_id: id, resource_name: 'shop', service: 'lb' };
  expect(result.map(({ metric }) => metric).toSorted((a, b) => a.node.localeCompare(b.node))).toMatchObject([
    { ...one, node: '1' },
    { ...one, node: '2' },
  ]);
});

test('nodes get the certificates that their listeners name, as secret files, and no others', async () => {
  const upload = async (name: string) =>
    idOf(await call('POST', '/gateway/certificates', { ...token(acme), body: await certificateUpload(name) }));
  const [served, other] = [await upload('served'), await upload('other')];
  const secure = listener({ protocol: 'HTTPS', port: 443, certificate_ids: [served], certificate_id: served });
  const created = await create([secure, listener()]);
  expect([created.status, created.body]).toMatchObject([
    201,
    { listeners: [{ certificate_ids: [] }, { certificate_ids: [served] }] },
  ]);
  const id = idOf(created);
  const specs = await nodeSpecs(sql`b.id = ${id}::uuid`);
  for (const { files } of specs) {
    const [own, first, list, ...others] = files.filter(({ secret }) => secret);
    expect(own).toMatchObject({ path: `tls/${served}.pem`, content: expect.stringContaining('PRIVATE KEY') });
    expect(first).toMatchObject({ path: expect.stringMatching(/^tls\/default-/), content: own?.content });
    expect(list).toMatchObject({ path: expect.stringMatching(/\.list$/), content: `/etc/service/tls/${served}.pem\n` });
    expect(others).toEqual([]);
  }
  expect(specs).toHaveLength(2);
  expect(JSON.stringify(specs.map(({ argv, environment }) => [argv, environment]))).not.toContain('PRIVATE KEY');
  const remove = (certificate: string) => call('DELETE', `/gateway/certificates/${certificate}`, token(acme));
  expect((await remove(other)).status).toBe(204);
  expect((await remove(served)).body).toMatchObject({
    error: { message: 'Certificate served is in use by load balancer shop. Remove it there first.' },
  });
  await settle(id);
  const body = { listeners: [listener()] };
  expect((await call('PUT', `/lbaas/loadbalancers/${id}`, { ...token(acme), body })).status).toBe(202);
  expect((await remove(served)).status).toBe(204);
});

test('a deleted instance leaves its pools', async () => {
  const instance_id = idOf(await launch(call, acme));
  const id = idOf(await create([listener({}, { instance_id, port: 80 }, member())]));
  expect((await poolsOf(id))[0]?.members).toMatchObject([{ name: 'web', instance_id }, { instance_id: null }]);
  await prisma().port.deleteMany({ where: { device_id: instance_id } });
  await prisma().instance.delete({ where: { id: instance_id } });
  expect((await poolsOf(id))[0]?.members).toMatchObject([{ name: '10.0.0.200' }]);
});

test('a replaced load balancer keeps the ids of what stays, and refuses changes while one is under way', async () => {
  const id = idOf(
    await create([listener({}, member(), member({ port: 8081 })), listener({ name: 'other', port: 81 })]),
  );
  const replace = (...listeners: object[]) =>
    call('PUT', `/lbaas/loadbalancers/${id}`, { ...token(acme), body: { listeners } });
  expect((await replace(listener())).body).toMatchObject({
    error: { code: 'CONFLICT', message: 'Load balancer shop is pending_create; wait until that is done.' },
  });
  await settle(id);
  const before = (await poolsOf(id)).find(({ members }) => members.length === 2);
  const { status, body } = await replace(listener({}, member({ port: 8081, weight: 0 }), member({ port: 8082 })));
  expect([status, body]).toMatchObject([202, { provisioning_status: 'pending_update', listeners: [{ port: 80 }] }]);
  const after = await poolsOf(id);
  expect(after).toMatchObject([{ id: before?.id, members: [{ port: 8081, weight: 0 }, { port: 8082 }] }]);
  expect(after[0]?.members[0]?.id).toBe(before?.members[1]?.id);
});

test('a create is refused while the budget is frozen; changes and deletes are not', async () => {
  const id = idOf(await create([listener()]));
  await settle(id);
  const frozen = { monthly_limit_usd: 1, enable_quota_freeze: true };
  await call('PUT', '/billing/budget', { token: acme.users.admin.token, body: frozen });
  await spend(acme.id, 2_000_000);
  expect((await create([listener()], { name: 'second' })).body).toMatchObject({ error: { code: 'BUDGET_FROZEN' } });
  const path = `/lbaas/loadbalancers/${id}`;
  const body = { listeners: [listener({}, member())] };
  expect((await call('PUT', path, { ...token(acme), body })).status).toBe(202);
  await settle(id);
  expect((await call('DELETE', path, token(acme))).status).toBe(202);
});

test('a create with a key happens once; each change and delete is in the audit log once', async () => {
  const body = { name: 'shop', listeners: [listener()] };
  const request = { ...token(acme), body, headers: { 'Idempotency-Key': 'once' } };
  const [created, again] = [
    await call('POST', '/lbaas/loadbalancers', request),
    await call('POST', '/lbaas/loadbalancers', request),
  ];
  expect([again.status, again.text]).toEqual([201, created.text]);
  const id = idOf(created);
  await settle(id);
  const path = `/lbaas/loadbalancers/${id}`;
  const replace = () => call('PUT', path, { ...token(acme), body: { listeners: [listener({}, member())] } });
  expect((await replace()).status).toBe(202);
  expect((await replace()).status).toBe(409);
  await settle(id);
  expect((await call('DELETE', path, token(acme))).status).toBe(202);
  expect((await call('DELETE', path, token(acme))).status).not.toBe(500);
  const entries = await prisma().auditEntry.findMany({
    where: { resource_id: id, result: 'succeeded', actor_type: 'user' },
    orderBy: { id: 'asc' },
  });
  expect(entries.map(({ action }) => action)).toEqual([
    'load_balancer.create',
    'load_balancer.replace',
    'load_balancer.delete',
  ]);
});

test('names, members, certificates and networks are checked', async () => {
  const globex = await createProject('globex');
  const foreign = idOf(await launch(call, globex));
  const refusals: [object, number, RegExp][] = [
    [
      await create([listener({}, member({ address: '192.168.0.1' }))]),
      400,
      /not an address of the load balancer’s network/,
    ],
    [await create([listener({}, member(), member())]), 400, /10\.0\.0\.200:8080 is a member already/],
    [await create([listener({}, { instance_id: foreign, port: 80 })]), 404, /instance/],
    [await create([listener(), listener()]), 400, /two listeners have the same port/],
    [await create([listener({ protocol: 'HTTPS' })]), 400, /requires a certificate/],
    [await create([listener({ protocol: 'HTTPS', certificate_id: foreign })]), 404, /certificate/],
    [await create([listener()], { network_id: await defaultNetwork(globex) }), 404, /network/],
    [await create([listener()], { name: 'Shop' }), 400, /name/],
  ];
  for (const [answer, status, message] of refusals) {
    expect(answer).toMatchObject({ status, body: { error: { message: expect.stringMatching(message) } } });
  }
  expect((await create([listener()])).status).toBe(201);
  expect((await create([listener()])).body).toMatchObject({
    error: { code: 'CONFLICT', message: 'name: the project already has a load balancer named shop.' },
  });
});

test('a project has as many load balancers as the setting allows, also by parallel creates', async () => {
  const most = settings().loadBalancersPerProject;
  const answers = await Promise.all(
    Array.from({ length: most + 5 }, (_, n) => create([listener()], { name: `shop-${n}` })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(most);
  for (const { status, text } of answers.filter((answer) => answer.status !== 201)) {
    expect([status, text]).toEqual([409, expect.stringContaining('LOAD_BALANCERS_PER_PROJECT')]);
  }
  const quoted = { method: 'POST', path: '/lbaas/loadbalancers', body: { name: 'shop', listeners: [listener()] } };
  expect(await call('POST', '/billing/quote', { ...token(acme), body: quoted })).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('LOAD_BALANCERS_PER_PROJECT') } },
  });
});
