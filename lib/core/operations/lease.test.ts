import { beforeAll, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { logOf, operationsOf, widgetState } from '@/lib/testing/operations';
import { race } from '@/lib/testing/race';
import { createWidgetOperation, deleteWidgetOperation } from '@/lib/testing/widget-operations';
import { createWidget, createWidgetTable, orderDelete, setLimits, usedOf, widgetCall } from '@/lib/testing/widgets';
import { createProject } from '@/lib/testing/world';
import { endedElsewhere, type LeaseHolder, lease, letGo, reclaim, renew } from './lease';
import { orderOperation } from './order';
import { done, goTo } from './steps';
import { writeTransition } from './transition';

testDatabase();
let project: string;
beforeAll(async () => {
  await createWidgetTable();
  ({ id: project } = await createProject());
  await setLimits(project, { instances: 100, vcpus: 200 });
});

const holder = (lease_ms = 60_000): LeaseHolder => ({ id: `worker-${newId()}`, cell_id: 'test-host', lease_ms });
const rooms = [createWidgetOperation, deleteWidgetOperation].map(({ kind }) => ({ kind, slots: 10 }));

async function leaseOnly(by: LeaseHolder, resourceId: string) {
  const leased = await lease(by, rooms, 10);
  const operation = leased.find(({ resource_id }) => resource_id === resourceId);
  if (!operation) throw new Error('it was not leased');
  return operation;
}

const createOrdered = () =>
  createWidget(widgetCall(project), {
    amounts: { vcpus: 2, instances: 1 },
    operation: (id) => createWidgetOperation.start(id, {}),
  });
const finish = (id: string) =>
  done({
    rows: {
      active: sql`UPDATE widgets SET status = 'active' FROM verdict WHERE verdict.ok AND widgets.id = ${id}::uuid`,
    },
    release: [{ dimension: 'vcpus', amount: '0.5' }],
    log: 'ready',
  });

test('a worker that lost its lease writes nothing: no transition, no rows, no release', async () => {
  const id = await createOrdered();
  const [first, second] = [holder(0), holder()];
  const lost = await leaseOnly(first, id);
  await reclaim();
  const taken = await leaseOnly(second, id);
  expect([...(await endedElsewhere(first, [lost]))]).toEqual([lost.id]);
  expect([...(await renew(first, [lost]))]).toEqual([]);
  const used = await usedOf(project, 'vcpus');

  expect(await writeTransition(first, lost, finish(id))).toBeUndefined();
  await letGo(first, lost);
  expect(await operationsOf(id)).toMatchObject([{ status: 'running', lease_owner: second.id, lease_token: 2 }]);
  expect(await widgetState(id)).toMatchObject({ status: 'provisioning' });
  expect(await usedOf(project, 'vcpus')).toBe(used);
  expect(await logOf(id)).toEqual(['stage disk', 'warning disk Its worker was lost; another one goes on.']);

  expect(await writeTransition(second, taken, finish(id))).toBeDefined();
  expect(await writeTransition(second, taken, finish(id))).toBeUndefined();
  expect(await widgetState(id)).toMatchObject({ status: 'active' });
  expect(Number(await usedOf(project, 'vcpus'))).toBe(Number(used) - 0.5);
  expect((await logOf(id)).slice(2)).toEqual(['info disk ready']);
});

test('a lease that the same worker takes again is a different lease', async () => {
  const id = await createOrdered();
  const same = holder(0);
  const before = await leaseOnly(same, id);
  await reclaim();
  const after = await leaseOnly(same, id);
  expect(await writeTransition(same, before, goTo('port'))).toBeUndefined();
  expect(await writeTransition(same, after, goTo('port'))).toBeDefined();
});

test('a transition and a delete of the same resource run one after the other, and after the delete no step writes', async () => {
  for (let round = 0; round < 20; round++) {
    const id = await createOrdered();
    const by = holder();
    const operation = await leaseOnly(by, id);
    const [written] = await Promise.all([
      writeTransition(by, operation, finish(id)),
      orderDelete(widgetCall(project), id, deleteWidgetOperation.start(id, {})),
    ]);
    expect(await widgetState(id)).toMatchObject({ status: 'deleting' });
    const [creation, removal] = await operationsOf(id);
    expect(creation?.status).toBe(written ? 'succeeded' : 'cancelled');
    expect(removal?.status).toBe('pending');
    expect(await writeTransition(by, operation, finish(id))).toBeUndefined();
    await letGo(by, operation);
    const deleting = await leaseOnly(holder(), id);
    expect(deleting.kind).toBe('widget.delete');
  }
});

test('an amount to release can be computed in the statement', async () => {
  const before = Number(await usedOf(project, 'vcpus'));
  const id = await createOrdered();
  const by = holder();
  const operation = await leaseOnly(by, id);
  const half = sql`(SELECT (amounts ->> 'vcpus')::numeric / 2 FROM widgets WHERE id = ${id}::uuid)`;
  expect(await writeTransition(by, operation, done({ release: [{ dimension: 'vcpus', amount: half }] }))).toBeDefined();
  expect(Number(await usedOf(project, 'vcpus'))).toBe(before + 1);
});

test('when two operations of a resource are leased at the same moment, one waits', async () => {
  const id = await createOrdered();
  const [creation] = await operationsOf(id);
  await orderDelete(widgetCall(project), id, deleteWidgetOperation.start(id, {}));
  const [leased] = await race(`UPDATE operations SET lease_owner = 'another' WHERE id = '${creation?.id}'`, [
    () => lease(holder(), rooms, 10),
  ]);
  expect(leased?.filter(({ resource_id }) => resource_id === id)).toEqual([]);
  expect(await operationsOf(id)).toMatchObject([{ lease_owner: 'another' }, { status: 'pending', lease_owner: null }]);
});

test('a failed search for work does not count as an empty one', async () => {
  await createOrdered();
  await expect(lease({ ...holder(), lease_ms: Number.NaN }, rooms, 10)).rejects.toThrow('interval out of range');
});

test('internal work is ordered only if its resource has no unfinished operation', async () => {
  const id = newId();
  const order = () => orderOperation(createWidgetOperation.start(id, {}), project);
  expect(await order()).toBe(true);
  expect(await order()).toBe(false);
  await execute(sql`UPDATE operations SET status = 'succeeded' WHERE resource_id = ${id}::uuid`);
  expect(await order()).toBe(true);
  expect(await operationsOf(id)).toMatchObject([{ status: 'succeeded' }, { status: 'pending' }]);
});

test('a release of amounts never releases more than is held', async () => {
  const before = await Promise.all([usedOf(project, 'vcpus'), usedOf(project, 'instances')]);
  const id = await createOrdered();
  const by = holder();
  const operation = await leaseOnly(by, id);
  const outcome = done({
    release: [
      { dimension: 'vcpus', amount: 5 },
      { dimension: 'ram_gb', amount: 1 },
    ],
  });
  expect(await writeTransition(by, operation, outcome)).toBeDefined();
  expect(await usedOf(project, 'vcpus')).toBe(before[0]);
  expect(Number(await usedOf(project, 'instances'))).toBe(Number(before[1]) + 1);
});
