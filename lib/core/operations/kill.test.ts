import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { logOf, operationsOf, widgetState } from '@/lib/testing/operations';
import { seededRandom } from '@/lib/testing/random';
import {
  assembleOperation,
  createWidgetOperation,
  deleteWidgetOperation,
  partsOf,
  widgetSteps,
} from '@/lib/testing/widget-operations';
import { until, widgetProject } from '@/lib/testing/widget-workers';
import { createWidget, miscounted, orderDelete, usedOf, widgetCall } from '@/lib/testing/widgets';
import { startWorker } from './worker';

testDatabase();
const project = widgetProject();

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** A worker process that kills itself at `killAt`. */
async function startProcess(killAt = ''): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'lib/testing/widget-worker.ts'], {
    env: { ...process.env, KILL_AT: killAt },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  await once(child, 'message');
  return child;
}

const createOrdered = () =>
  createWidget(widgetCall(project.id), {
    amounts: { instances: 1 },
    operation: (id) => createWidgetOperation.start(id, {}),
  });
const orderRemoval = (id: string) => orderDelete(widgetCall(project.id), id, deleteWidgetOperation.start(id, {}));

/** Lets the operation run until the kill, then a healthy worker finish it. */
async function survive(killed: ChildProcess, id: string): Promise<void> {
  if (killed.exitCode === null && killed.signalCode === null) await once(killed, 'exit');
  expect(killed.signalCode).toBe('SIGKILL');
  expect((await operationsOf(id)).at(-1)).toMatchObject({ status: 'running' });
  const healthy = startWorker({ steps: widgetSteps(), jobs: [], lease_ms: 300, backoff: () => 10 });
  await until(async () =>
    expect((await operationsOf(id)).at(-1)).toMatchObject({ status: 'succeeded', lease_owner: null }),
  );
  await healthy.stop();
  expect((await operationsOf(id)).at(-1)).toMatchObject({ lease_token: 2, error: null });
}

const LOST = 'Its worker was lost; another one goes on.';
/** The operation's log without the notes about lost workers. */
const progress = async (id: string) => (await logOf(id)).filter((line) => !line.endsWith(LOST));

test.each(['disk:before', 'disk:after', 'port:before', 'port:after', 'boot:before', 'boot:after'])(
  'a worker killed at %s of a create: the result is the same, once',
  async (point) => {
    const killed = await startProcess(point);
    const id = await createOrdered();
    await survive(killed, id);
    expect(await widgetState(id)).toEqual({ status: 'active', reason: null });
    expect(await partsOf(id)).toEqual(['boot', 'disk', 'port']);
    expect(await progress(id)).toEqual([
      'stage disk',
      'stage port',
      'stage boot The port has its address.',
      'info boot Done.',
    ]);
    expect(await logOf(id)).toContain(`warning ${point.split(':')[0]} ${LOST}`);
    expect(await miscounted(project.id)).toEqual([]);
  },
  60_000,
);

test.each([
  'stop:before',
  'stop:after',
  'remove-port:before',
  'remove-port:after',
  'remove-disk:before',
  'remove-disk:after',
])(
  'a worker killed at %s of a delete: everything is gone, and released once',
  async (point) => {
    const id = await createOrdered();
    const maker = startWorker({ steps: widgetSteps(), jobs: [] });
    await until(async () => expect(await widgetState(id)).toMatchObject({ status: 'active' }));
    await maker.stop();
    const used = Number(await usedOf(project.id, 'instances'));
    const killed = await startProcess(point);
    await orderRemoval(id);
    await survive(killed, id);
    expect(await widgetState(id)).toBeUndefined();
    expect(await partsOf(id)).toEqual([]);
    expect((await progress(id)).slice(4)).toEqual(['stage stop', 'stage remove', 'info remove Done.']);
    expect(Number(await usedOf(project.id, 'instances'))).toBe(used - 1);
    expect(await miscounted(project.id)).toEqual([]);
  },
  60_000,
);

test.each([
  'members:before',
  'members:after',
  'disk:before',
  'boot:after',
  'ended:before',
  'finish:before',
  'finish:after',
])(
  'a worker killed at %s of an operation with children: each child starts once, and the result is the same',
  async (point) => {
    const killed = await startProcess(point);
    const members = [newId(), newId()];
    const id = await createWidget(widgetCall(project.id), {
      amounts: { instances: 1 },
      operation: (widget) => assembleOperation.start(widget, { members }),
    });
    await once(killed, 'exit');
    expect((await operationsOf(id)).at(-1)).toMatchObject({ status: 'running' });
    const healthy = startWorker({ steps: widgetSteps(), jobs: [], lease_ms: 300, backoff: () => 10 });
    for (const resource of [id, ...members])
      await until(async () =>
        expect(await operationsOf(resource)).toMatchObject([{ status: 'succeeded', lease_owner: null, error: null }]),
      );
    await healthy.stop();
    expect(await widgetState(id)).toMatchObject({ status: 'active' });
    for (const member of members) expect(await partsOf(member)).toEqual(['boot', 'disk', 'port']);
    expect(await miscounted(project.id)).toEqual([]);
  },
  60_000,
);

test('a worker killed while it handles a failure: the failure is handled and its reason kept', async () => {
  const killed = await startProcess('failed:before');
  const id = await createWidget(widgetCall(project.id), {
    amounts: { instances: 1 },
    operation: (widget) => ({ ...createWidgetOperation.start(widget, {}), deadline_ms: -1 }),
  });
  await once(killed, 'exit');
  const healthy = startWorker({ steps: widgetSteps(), jobs: [], lease_ms: 300 });
  await until(async () => expect(await operationsOf(id)).toMatchObject([{ status: 'failed', stage: 'disk' }]));
  await healthy.stop();
  expect(await widgetState(id)).toMatchObject({ status: 'error', reason: expect.stringContaining('did not finish') });
  expect((await progress(id)).filter((line) => line.startsWith('error'))).toHaveLength(1);
  expect(await miscounted(project.id)).toEqual([]);
}, 60_000);

test('workers killed at random while widgets come and go: every widget reaches its final state', async () => {
  const seed = 20261121;
  const random = seededRandom(seed);
  const kept: string[] = [];
  const removed: string[] = [];
  const processes = await Promise.all(Array.from({ length: 6 }, () => startProcess()));
  for (const next of processes) {
    for (let n = 0; n < 8; n++) {
      const id = await createOrdered();
      if (random() < 0.5) kept.push(id);
      else {
        removed.push(id);
        await orderRemoval(id);
      }
    }
    const ended = sql`SELECT count(*)::int AS n FROM operations WHERE finished_at IS NOT NULL`;
    const count = async () => (await query<{ n: number }>(ended))[0]?.n ?? 0;
    const enough = (await count()) + Math.floor(random() * 6);
    await until(async () => expect(await count()).toBeGreaterThanOrEqual(enough));
    next.kill('SIGKILL');
  }
  const healthy = startWorker({ steps: widgetSteps(), jobs: [], lease_ms: 300, backoff: () => 10 });
  await until(async () => {
    const open = await query(sql`SELECT FROM operations WHERE finished_at IS NULL OR lease_owner IS NOT NULL`);
    expect(open).toHaveLength(0);
  });
  await healthy.stop();
  for (const id of kept) {
    expect(await widgetState(id), `seed ${seed}`).toMatchObject({ status: 'active' });
    expect(await partsOf(id)).toEqual(['boot', 'disk', 'port']);
  }
  for (const id of removed) {
    expect(await widgetState(id), `seed ${seed}`).toBeUndefined();
    expect(await partsOf(id)).toEqual([]);
  }
  expect(await miscounted(project.id)).toEqual([]);
}, 120_000);
