import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute, queryOne } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { sql } from '@/lib/core/db/sql';
import { startWorker, type Worker } from '@/lib/core/operations/worker';
import { prepareSteps } from '@/lib/domains/images/steps';
import { EngineError } from '@/lib/engines/error';
import { countEgress } from '@/lib/money/metering/egress';
import { testDatabase } from '@/lib/testing/database';
import { createCell, TINY_IMAGE } from '@/lib/testing/hosts';
import { idOf, launch } from '@/lib/testing/machines';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { instanceSteps } from './steps';
import { type Action, actions, type InstanceStatus, instanceStatuses, transitions } from './transitions';

testDatabase();
const call = api();
let acme: TestProject;
let engines: MemoryEngines;
let worker: Worker;

beforeAll(() => {
  worker = startWorker({ steps: [...instanceSteps, prepareSteps], jobs: [], backoff: () => 20 });
});
afterAll(() => worker.stop());
beforeEach(async () => {
  engines = useMemoryEngines();
  await execute(sql`UPDATE images SET status = 'queued' WHERE id = ${TINY_IMAGE}::uuid`);
  await createCell();
  acme = await createProject('acme');
});

const read = async (id: string) =>
  (await call('GET', `/compute/instances/${id}`, { token: acme.users.reader.token })).body;
const act = (id: string, action: Action, more: object = {}) =>
  call('POST', `/compute/instances/${id}/action`, { token: acme.users.member.token, body: { action, ...more } });
const remove = (id: string) => call('DELETE', `/compute/instances/${id}`, { token: acme.users.member.token });
const becomes = (id: string, state: object) =>
  expect.poll(() => read(id), { timeout: 10_000, interval: 20 }).toMatchObject(state);
const isGone = (id: string) => becomes(id, { error: { code: 'RESOURCE_NOT_FOUND' } });
const force = (id: string, status: InstanceStatus, task: string | null = null) =>
  execute(sql`UPDATE instances SET status = ${status}::text, task = ${task}::text WHERE id = ${id}::uuid`);
const used = () =>
  queryOne(sql`SELECT instances_used::float8 AS instances, vcpus_used::float8 AS vcpus, ram_gb_used::float8 AS ram_gb
    FROM project_accounts WHERE project_id = ${acme.id}::uuid`);
const reserved = () =>
  queryOne(sql`SELECT vcpus_reserved, memory_mb_reserved, disk_gb_reserved FROM cells WHERE id = 'test-host'`);

async function running(body: object = {}): Promise<string> {
  const id = idOf(await launch(call, acme, body));
  await becomes(id, { status: 'active', task: null });
  return id;
}

test('a create waits for its image, wires its port, boots and is active', async () => {
  const id = idOf(await launch(call, acme, { user_data: '#!/bin/sh\ntrue' }));
  await becomes(id, { status: 'active', task: null, status_reason: null, launched_at: expect.stringMatching(/Z$/) });
  const spec = engines.machines.get(id)?.spec;
  expect(spec).toMatchObject({
    vcpus: 1,
    ramMb: 256,
    disk: { imageId: TINY_IMAGE, sizeGb: 2, generation: 1 },
    power: 'running',
    seed: { hostname: 'web', sshPublicKeys: [], userData: '#!/bin/sh\ntrue' },
    ports: [{ prefixLength: 24, gatewayIp: '10.0.0.1', dhcp: true, dnsServers: [] }],
  });
  const [router] = engines.routers.values();
  expect(router?.networks[0]).toMatchObject({ cidr: '10.0.0.0/24', gatewayIp: '10.0.0.1', dhcpEnabled: true });
  expect(router?.networks[0]?.ports[0]).toMatchObject({ ip: '10.0.0.2', hostname: 'web', holderId: id });
  expect(router?.securityGroups[0]?.rules).toEqual([
    { direction: 'egress', protocol: 'any', portRangeMin: null, portRangeMax: null, cidr: '0.0.0.0/0' },
  ]);
});

describe('actions', () => {
  test('stop, start, pause, unpause and reboot lead where they should', async () => {
    const id = await running();
    for (const [action, status, power] of [
      ['stop', 'stopped', 'stopped'],
      ['start', 'active', 'running'],
      ['pause', 'paused', 'paused'],
      ['unpause', 'active', 'running'],
      ['reboot', 'active', 'running'],
    ] as const) {
      const { status: accepted, body } = await act(id, action);
      expect([accepted, body]).toMatchObject([202, { id, task: transitions[action].task }]);
      await becomes(id, { status, task: null });
      expect(engines.machines.get(id)?.spec.power).toBe(power);
    }
  });

  test('rebuild makes a new disk and keeps id, port and address', async () => {
    const id = await running();
    const before = await read(id);
    expect((await act(id, 'rebuild')).body).toMatchObject({ status: 'rebuilding', task: 'rebuilding' });
    await becomes(id, { status: 'active', task: null });
    expect(engines.machines.get(id)?.spec.disk).toEqual({ imageId: TINY_IMAGE, sizeGb: 2, generation: 2 });
    const { addresses } = before as { addresses: unknown };
    expect(await read(id)).toMatchObject({ id, addresses });
  });

  test('every state allows exactly the actions of the table, and refusals name it', async () => {
    const id = await running();
    await worker.stop();
    for (const status of instanceStatuses) {
      for (const action of actions) {
        await force(id, status);
        const answer = await act(id, action);
        const allowed = transitions[action].from.includes(status);
        expect([status, action, answer.status]).toEqual([status, action, allowed ? 202 : 409]);
        if (!allowed) expect(answer.text).toContain(`is ${status}; ${action} requires it to be`);
        await execute(sql`DELETE FROM operations WHERE resource_id = ${id}::uuid`);
      }
    }
    await force(id, 'active', 'stopping');
    expect((await act(id, 'start')).text).toContain('is stopping');
    worker = startWorker({ steps: [...instanceSteps, prepareSteps], jobs: [], backoff: () => 20 });
  });

  test('of ten stops at once one is accepted', async () => {
    const id = await running();
    const answers = await Promise.all(Array.from({ length: 10 }, () => act(id, 'stop')));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array<number>(9).fill(409)]);
    await becomes(id, { status: 'stopped', task: null });
  });

  test('is only allowed with rebuild', async () => {
    const id = await running();
    expect((await act(id, 'stop', { image_id: TINY_IMAGE })).status).toBe(400);
    expect((await act(id, 'rebuild', { image_id: 'no-id' })).text).toContain('image_id: no such image');
  });
});

describe('delete', () => {
  test('removes everything, and the quota comes back when all of it is gone', async () => {
    const before = await reserved();
    const id = await running();
    const { token } = acme.users.member;
    const address = await call('POST', '/network/floating-ips', { token, body: {} });
    await call('POST', `/network/floating-ips/${idOf(address)}/associate`, { token, body: { instance_id: id } });
    engines.failure = new EngineError('ENGINE_ERROR', 'The machine does not go.');
    expect([(await remove(id)).status, await used()]).toMatchObject([202, { instances: 1 }]);
    await becomes(id, { status: 'deleting' });
    expect(await used()).toEqual({ instances: 1, vcpus: 1, ram_gb: 0.25 });
    engines.failure = undefined;
    await isGone(id);
    expect(await used()).toEqual({ instances: 0, vcpus: 0, ram_gb: 0 });
    expect(await reserved()).toEqual(before);
    expect(engines.machines.has(id)).toBe(false);
    const wired = [...engines.routers.values()].flatMap(({ networks }) => networks.flatMap(({ ports }) => ports));
    expect(wired.filter(({ holderId }) => holderId === id)).toEqual([]);
    expect(await prisma().port.count({ where: { project_id: acme.id } })).toBe(0);
    // What is left is the project's network, its router and the floating IP.
    const left = await prisma().device.findMany({ where: { project_id: acme.id }, orderBy: { kind: 'asc' } });
    expect(left.map(({ kind }) => kind)).toEqual(['floating_ip', 'network', 'router']);
    const kept = await call('GET', '/network/floating-ips', { token });
    expect(kept.body).toMatchObject([{ id: idOf(address), status: 'available', port_id: null }]);
  });

  test('counts what the machine has sent since it was last looked at, once, however often it must be tried', async () => {
    const sent = async (id: string) => {
      const events = await prisma().usageEvent.findMany({ where: { resource_id: id } });
      return events.map(({ metric, quantity }) => [metric, quantity.toNumber()]);
    };
    const id = await running();
    const { id: port_id } = await prisma().port.findFirstOrThrow({ where: { device_id: id } });
    const owner = { project_id: acme.id, device_id: id, resource: { type: 'instance', name: 'web' } };
    await countEgress([{ ...owner, counter: { port_id }, at: new Date(), bytes: 700 }]);
    engines.egress = 1000;
    const { removeRouter } = engines.network;
    engines.network.removeRouter = () => Promise.reject(new EngineError('ENGINE_ERROR', 'The port does not go.'));
    await remove(id);
    await expect
      .poll(() => sent(id), { timeout: 10_000 })
      .toEqual([
        ['network_egress', 700],
        ['network_egress', 300],
      ]);
    engines.network.removeRouter = removeRouter;
    await isGone(id);
    expect(await sent(id)).toHaveLength(2);
  });

  test('wins over a boot that is under way', async () => {
    engines.bootMs = 60_000;
    const id = idOf(await launch(call, acme));
    const stage = () => prisma().operation.findFirst({ where: { resource_id: id }, select: { stage: true } });
    await expect.poll(stage, { timeout: 10_000 }).toEqual({ stage: 'machine' });
    await remove(id);
    await isGone(id);
    expect(await used()).toMatchObject({ instances: 0 });
  });

  test.each(instanceStatuses)('is possible when the instance is %s, and a second time', async (status) => {
    const id = await running();
    await force(id, status);
    const answers = [await remove(id), await remove(id)];
    expect(answers.map((answer) => answer.status)).toEqual([202, expect.toBeOneOf([202, 404])]);
    await isGone(id);
    expect(await used()).toMatchObject({ instances: 0 });
  });
});

test('a boot holds no worker, and its operation says what it waits for', async () => {
  engines.bootMs = 60_000;
  const id = idOf(await launch(call, acme));
  const operation = () =>
    prisma().operation.findFirst({
      where: { resource_id: id },
      select: { stage: true, lease_owner: true, error: true },
    });
  const waiting = { stage: 'machine', lease_owner: null, error: 'Booting' };
  await expect.poll(operation, { timeout: 10_000 }).toEqual(waiting);
  expect(await read(id)).toMatchObject({ status: 'provisioning' });
  engines.bootMs = 0;
  await becomes(id, { status: 'active', status_reason: null });
});

test('a reboot holds no worker, and reboots once', async () => {
  const id = await running();
  const { rebootInstance } = engines.compute;
  const requests = new Set<string>();
  engines.compute.rebootInstance = (machine, mode, request) => {
    requests.add(request);
    return rebootInstance(machine, mode, request);
  };
  engines.bootMs = 60_000;
  await act(id, 'reboot');
  const operation = () =>
    prisma().operation.findFirst({
      where: { resource_id: id, kind: 'instance.reboot' },
      select: { stage: true, lease_owner: true, error: true },
    });
  await expect.poll(operation, { timeout: 10_000 }).toEqual({ stage: 'reboot', lease_owner: null, error: 'Booting' });
  expect(await read(id)).toMatchObject({ status: 'rebooting' });
  engines.bootMs = 0;
  await becomes(id, { status: 'active', status_reason: null });
  expect(requests.size).toBe(1);
});

describe('what goes wrong', () => {
  test('a boot that fails each time fails the instance, though waiting lies between the failures', async () => {
    let asked = 0;
    engines.compute.ensureInstance = async () => {
      asked += 1;
      if (asked % 2 === 1) return { settled: false, waits_for: 'Booting', again_ms: 1 };
      throw new EngineError('ENGINE_ERROR', 'The machine stopped.');
    };
    const id = idOf(await launch(call, acme));
    await becomes(id, { status: 'error', fault: { message: 'The machine stopped.' } });
    expect(asked).toBe(10);
  });

  test('what can never work ends in error with the engine’s words, and can be started again', async () => {
    engines.failure = new EngineError('INVALID', 'The disk is smaller than its image.');
    await execute(sql`UPDATE images SET status = 'active' WHERE id = ${TINY_IMAGE}::uuid`);
    engines.builtImages.add(TINY_IMAGE);
    const id = idOf(await launch(call, acme));
    // The network comes first, and its trouble is tried again.
    await becomes(id, { status: 'provisioning' });
    engines.failure = undefined;
    await becomes(id, { status: 'active' });
    engines.failure = new EngineError('INVALID', 'The disk is smaller than its image.');
    await act(id, 'reboot');
    await becomes(id, { status: 'error', task: null, fault: { message: 'The disk is smaller than its image.' } });
    expect(await used()).toMatchObject({ instances: 1 });
    engines.failure = undefined;
    await act(id, 'start');
    await becomes(id, { status: 'active', fault: null });
  });

  test('the reason of a failure names no file of the host', async () => {
    const id = await running();
    engines.failure = new EngineError('INVALID', "QEMU: Could not open '/var/lib/nephele/engine/images/x.qcow2'.");
    await act(id, 'reboot');
    await becomes(id, { status: 'error', status_reason: "QEMU: Could not open '[host file]'." });
    engines.failure = undefined;
  });

  test('a full host leaves it provisioning, says why, and goes on when there is room', async () => {
    const first = await running();
    engines.failure = new EngineError('CAPACITY_EXHAUSTED', 'This host is full: 1 MB left.');
    await act(first, 'stop');
    await becomes(first, { status: 'active', task: 'stopping', status_reason: 'This host is full: 1 MB left.' });
    engines.failure = undefined;
    await becomes(first, { status: 'stopped', task: null });
  });

  test('an image that has failed fails the instance with its reason', async () => {
    await execute(sql`UPDATE images SET status = 'importing', status_reason = NULL WHERE id = ${TINY_IMAGE}::uuid`);
    const id = idOf(await launch(call, acme));
    await becomes(id, {
      status: 'provisioning',
      status_reason: expect.stringContaining('Waiting for image nephele-tiny'),
    });
    await execute(
      sql`UPDATE images SET status = 'error', status_reason = 'Its checksum is wrong.' WHERE id = ${TINY_IMAGE}::uuid`,
    );
    await becomes(id, { status: 'error', status_reason: expect.stringContaining('Its checksum is wrong.') });
  });
});
