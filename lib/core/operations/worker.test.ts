import { describe, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { commit } from '@/lib/core/quota/commit';
import { EngineError } from '@/lib/engines/error';
import { testDatabase } from '@/lib/testing/database';
import { logOf, operationsOf, widgetState } from '@/lib/testing/operations';
import {
  createWidgetOperation,
  deleteWidgetOperation,
  type Hook,
  partsOf,
  widgetSteps,
} from '@/lib/testing/widget-operations';
import { gate, until, untilStatus, widgetProject, widgetWorkers } from '@/lib/testing/widget-workers';
import { createWidget, miscounted, orderDelete, usedOf, widgetCall } from '@/lib/testing/widgets';
import { again, done, failure, platformOperationSteps } from './steps';

testDatabase();
const project = widgetProject();

const work = widgetWorkers();
const create = (start = (id: string) => createWidgetOperation.start(id, {})) =>
  createWidget(widgetCall(project.id), { amounts: { instances: 1 }, operation: start });
const remove = (id: string) => orderDelete(widgetCall(project.id), id, deleteWidgetOperation.start(id, {}));

describe('an operation', () => {
  test('runs its steps, and ends together with its rows', async () => {
    const id = await create();
    work();
    await untilStatus(id, 'succeeded');
    expect(await widgetState(id)).toEqual({ status: 'active', reason: null });
    expect(await partsOf(id)).toEqual(['boot', 'disk', 'port']);
    expect(await logOf(id)).toEqual([
      'stage disk',
      'stage port',
      'stage boot The port has its address.',
      'info boot Done.',
    ]);
    expect(await operationsOf(id)).toMatchObject([{ attempts: 0, error: null, lease_owner: null, lease_token: 1 }]);
  });

  test('is retried when a step throws, and reports why without internals', async () => {
    let failures = 0;
    work((point) => {
      if (point === 'port:before' && failures++ < 2) throw new EngineError('ENGINE_ERROR', 'The bridge is away.');
      if (point === 'boot:before' && failures++ === 3) throw new Error('password=hunter2');
    });
    const id = await create();
    await untilStatus(id, 'succeeded');
    const log = await logOf(id);
    expect(log.slice(1, 4)).toEqual([
      'stage port',
      'warning port The bridge is away.',
      'warning port The bridge is away.',
    ]);
    expect(log.join()).toContain('Report operation');
    expect(log.join()).not.toContain('hunter2');
  });

  test('that merely waits runs again at the time it asked for', async () => {
    let looks = 0;
    const steps = platformOperationSteps(
      createWidgetOperation,
      { disk: async () => (++looks < 4 ? again(1) : done()), port: async () => done(), boot: async () => done() },
      { failed: async () => done() },
    );
    work(undefined, { steps: [steps] });
    const id = await create();
    await untilStatus(id, 'succeeded');
    expect(looks).toBe(4);
    expect(await logOf(id)).toEqual(['stage disk', 'info disk Done.']);
  });
});

test('tells open pages once what it waits for, and names it when the deadline passes', async () => {
  let looks = 0;
  const steps = platformOperationSteps(
    createWidgetOperation,
    {
      disk: async ({ operation }) => {
        looks += 1;
        const waiting = sql`UPDATE widgets SET status_reason = 'No room.' FROM verdict
          WHERE verdict.ok AND widgets.id = ${operation.resource_id}::uuid`;
        return again(1, { rows: { waiting }, waits_for: looks < 5 ? 'No room.' : 'Nearly there.' });
      },
      port: async () => done(),
      boot: async () => done(),
    },
    { failed: async (_, reason) => done({ log: reason }) },
  );
  work(undefined, { steps: [steps] });
  const id = await create((widget) => ({ ...createWidgetOperation.start(widget, {}), deadline_ms: 4000 }));
  await untilStatus(id, 'failed');
  const reason = 'It did not finish within 4 s. Last problem: Nearly there.';
  expect(await logOf(id)).toEqual(['stage disk', `error disk ${reason}`, `info disk ${reason}`]);
  const hints = await query(sql`SELECT FROM changes WHERE resource_id = ${id}::text`);
  // One hint for the create, for each reason, for the failure and for the end.
  expect(hints).toHaveLength(5);
  expect(looks).toBeGreaterThan(6);
});

describe('an operation that cannot succeed', () => {
  test('past its deadline puts the resource into error with the last problem, and keeps the quota if it exists', async () => {
    const before = Number(await usedOf(project.id, 'instances'));
    const id = await create((widget) => ({ ...createWidgetOperation.start(widget, {}), deadline_ms: 3000 }));
    work((point) => {
      if (point === 'port:before') throw new EngineError('ENGINE_UNAVAILABLE', 'Install nftables.');
    });
    await untilStatus(id, 'failed');
    const reason = 'It did not finish within 3 s. Last problem: Install nftables.';
    expect(await widgetState(id)).toEqual({ status: 'error', reason });
    expect((await logOf(id)).slice(-2)).toEqual([`error port ${reason}`, 'info port Failed.']);
    expect(await operationsOf(id)).toMatchObject([{ stage: 'port', error: reason }]);
    expect(Number(await usedOf(project.id, 'instances'))).toBe(before + 1);
  });

  test('past its deadline interrupts a hanging step, and releases the quota if nothing exists', async () => {
    const before = Number(await usedOf(project.id, 'instances'));
    const id = await create((widget) => ({ ...createWidgetOperation.start(widget, {}), deadline_ms: 200 }));
    work((point, { signal }) =>
      point === 'disk:before' ? new Promise((_, reject) => signal.addEventListener('abort', reject)) : undefined,
    );
    await untilStatus(id, 'failed');
    expect(await widgetState(id)).toMatchObject({ status: 'error' });
    expect(Number(await usedOf(project.id, 'instances'))).toBe(before);
  });

  test('can fail at once and is not retried', async () => {
    let runs = 0;
    const steps = platformOperationSteps(
      createWidgetOperation,
      {
        disk: async () => {
          runs += 1;
          return failure('The image is damaged; choose another one.');
        },
        port: async () => done(),
        boot: async () => done(),
      },
      { failed: async (_, reason) => done({ log: `Told: ${reason}` }) },
    );
    work(undefined, { steps: [steps] });
    const id = await create();
    await untilStatus(id, 'failed');
    expect(runs).toBe(1);
    expect(await logOf(id)).toEqual([
      'stage disk',
      'error disk The image is damaged; choose another one.',
      'info disk Told: The image is damaged; choose another one.',
    ]);
  });

  test('keeps retrying its failure handler, and remembers the reason', async () => {
    let tries = 0;
    const steps = platformOperationSteps(
      createWidgetOperation,
      { disk: async () => failure('No.'), port: async () => done(), boot: async () => done() },
      {
        failed: async () => {
          tries += 1;
          if (tries < 3) throw new Error('not yet');
          return tries < 5 ? again(1, { waits_for: 'The bridge is away.' }) : done();
        },
      },
    );
    work(undefined, { steps: [steps] });
    const id = await create();
    await untilStatus(id, 'failed');
    expect(tries).toBe(5);
    expect(await operationsOf(id)).toMatchObject([{ error: 'No.' }]);
  });

  test('that found no worker before its deadline fails without having started', async () => {
    const id = await create((widget) => ({ ...createWidgetOperation.start(widget, {}), deadline_ms: 90_000 }));
    await execute(sql`UPDATE operations SET created_at = created_at - interval '90 seconds',
      deadline_at = deadline_at - interval '90 seconds' WHERE resource_id = ${id}::uuid`);
    let begun = 0;
    work((point) => {
      if (point === 'disk:before') begun += 1;
    });
    await untilStatus(id, 'failed');
    expect(begun).toBe(0);
    expect(await operationsOf(id)).toMatchObject([{ error: 'It did not finish within 2 min.' }]);
  });

  test('with a stage unknown to this release is retried until its deadline: another worker may know it', async () => {
    const start = (widget: string) => ({
      ...createWidgetOperation.start(widget, {}),
      stage: 'paint',
      deadline_ms: 300,
    });
    const id = await create(start);
    work();
    await untilStatus(id, 'failed');
    expect((await logOf(id)).slice(0, 2)).toEqual([
      'stage paint',
      expect.stringMatching(/^warning paint .*Report operation/),
    ]);
    expect(await widgetState(id)).toMatchObject({ status: 'error' });
  });
});

describe('a delete', () => {
  test('interrupts running operations and wins', async () => {
    const before = Number(await usedOf(project.id, 'instances'));
    const booting = gate();
    work((point, { signal }) => {
      if (point !== 'boot:before') return undefined;
      booting.open();
      return new Promise((_, reject) => signal.addEventListener('abort', reject));
    });
    const id = await create();
    await booting.opened;
    await remove(id);
    await untilStatus(id, 'succeeded');
    expect(await operationsOf(id)).toMatchObject([
      { kind: 'widget.create', status: 'cancelled', stage: 'boot', error: 'A delete took its place.' },
      { kind: 'widget.delete', status: 'succeeded' },
    ]);
    expect(await widgetState(id)).toBeUndefined();
    expect(await partsOf(id)).toEqual([]);
    expect(Number(await usedOf(project.id, 'instances'))).toBe(before);
  });

  test('waits for a step that ignores its signal, and that step’s result no longer counts', async () => {
    const booting = gate();
    const finish = gate();
    const order: string[] = [];
    work(async (point) => {
      order.push(point);
      if (point !== 'boot:before') return;
      booting.open();
      await finish.opened;
    });
    const id = await create();
    await booting.opened;
    work((point) => {
      order.push(point);
    });
    await remove(id);
    await until(async () =>
      expect(await operationsOf(id)).toMatchObject([{ status: 'cancelled' }, { status: 'pending' }]),
    );
    finish.open();
    await untilStatus(id, 'succeeded');
    expect(order.indexOf('boot:after')).toBeLessThan(order.indexOf('stop:before'));
    expect(await widgetState(id)).toBeUndefined();
    expect(await logOf(id)).not.toContain('info boot Done.');
  });

  test('before the create has started just removes the resource', async () => {
    const id = await create();
    await remove(id);
    work();
    await untilStatus(id, 'succeeded');
    expect(await operationsOf(id)).toMatchObject([{ status: 'cancelled', lease_token: 0 }, { status: 'succeeded' }]);
  });
});

describe('operations of one resource', () => {
  test('run one after the other, oldest first, however many workers there are', async () => {
    const id = await create();
    for (let n = 0; n < 5; n++) {
      await commit(widgetCall(project.id), {
        resource: { type: 'widget', id },
        operation: createWidgetOperation.start(id, {}),
        rows: {},
      });
    }
    let inside = 0;
    let most = 0;
    const order: string[] = [];
    const hook: Hook = async (point, { operation }) => {
      if (point.endsWith('before')) most = Math.max(most, ++inside);
      else inside -= 1;
      if (point === 'boot:after') order.push(operation.id);
    };
    for (let n = 0; n < 3; n++) work(hook);
    await until(async () => {
      const all = await operationsOf(id);
      expect(all.map(({ status }) => status)).toEqual(Array(6).fill('succeeded'));
    });
    expect(most).toBe(1);
    expect(order).toEqual([...order].sort());
  });

  test('are held by one worker at most, enforced by the database', async () => {
    const resource = newId();
    const lease = (owner: string) =>
      execute(sql`
      INSERT INTO operations (id, kind, resource_type, resource_id, stage, status, input, scope, run_at, lease_owner, deadline_at, created_at, updated_at)
      VALUES (${newId()}::uuid, 'test', 'test', ${resource}::uuid, 'x', 'running', '{}', 'platform', now(), ${owner}::text, now(), now(), now())`);
    await lease('a');
    await expect(lease('b')).rejects.toThrow('operations_one_leased_idx');
  });
});

describe('workers', () => {
  test('share the work, and each step runs once', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => create()));
    const runs = new Map<string, number>();
    const count: Hook = (point, { operation }) => {
      const key = `${operation.id} ${point}`;
      runs.set(key, (runs.get(key) ?? 0) + 1);
    };
    for (let n = 0; n < 3; n++) work(count);
    for (const id of ids) await untilStatus(id, 'succeeded');
    expect(runs.size).toBe(60 * 6);
    expect(new Set(runs.values())).toEqual(new Set([1]));
    expect(await miscounted(project.id)).toEqual([]);
  });

  test('respect their own limit and those of a kind', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => create()));
    const inside = new Set<string>();
    let most = 0;
    const hook: Hook = async (point, { operation }) => {
      if (point.endsWith('before')) inside.add(operation.id);
      most = Math.max(most, inside.size);
      await new Promise(setImmediate);
      if (point.endsWith('after')) inside.delete(operation.id);
    };
    work(hook, { steps: widgetSteps(hook, 3) });
    for (const id of ids) await untilStatus(id, 'succeeded');
    expect(most).toBe(3);
  });

  test('do the work of their own cell only, and share that of the platform', async () => {
    const inCell = (cell_id: string) =>
      create((id) => ({ ...createWidgetOperation.start(id, {}), place: { cell_id } }));
    const north = await Promise.all(Array.from({ length: 20 }, () => inCell('north')));
    const south = await Promise.all(Array.from({ length: 20 }, () => inCell('south')));
    const shared = await Promise.all(Array.from({ length: 20 }, () => create()));
    const doneBy = new Map<string, Set<string>>();
    const workIn = (cell: string) =>
      work(
        (_, { operation }) =>
          void doneBy.set(operation.resource_id, (doneBy.get(operation.resource_id) ?? new Set()).add(cell)),
        {
          cell,
          concurrency: 2,
        },
      );
    const doers = (ids: string[]) => new Set(ids.flatMap((id) => [...(doneBy.get(id) ?? ['nobody'])]));

    const first = workIn('north');
    for (const id of [...north, ...shared.slice(0, 1)]) await untilStatus(id, 'succeeded');
    for (const id of south) expect(await operationsOf(id)).toMatchObject([{ status: 'pending', lease_token: 0 }]);
    workIn('south');
    for (const id of [...south, ...shared]) await untilStatus(id, 'succeeded');
    expect(doers(north)).toEqual(new Set(['north']));
    expect(doers(south)).toEqual(new Set(['south']));

    await first.stop();
    const left = await Promise.all([create(), inCell('north')]);
    await untilStatus(left[0], 'succeeded');
    expect(doers(left)).toEqual(new Set(['south', 'nobody']));
    expect(await operationsOf(left[1])).toMatchObject([{ status: 'pending', lease_token: 0 }]);
    workIn('north');
    await untilStatus(left[1], 'succeeded');
    expect(doers([left[1]])).toEqual(new Set(['north']));
  });

  test('skip work that has neither a cell nor the platform as its place', async () => {
    const unsaid = (scope: string, cell: string | null) =>
      execute(sql`
      INSERT INTO operations (id, kind, resource_type, resource_id, stage, status, input, scope, cell_id, run_at, deadline_at, created_at, updated_at)
      VALUES (${newId()}::uuid, 'test', 'test', ${newId()}::uuid, 'x', 'pending', '{}', ${scope}::text, ${cell}::text, now(), now(), now(), now())`);
    await expect(unsaid('cell', null)).rejects.toThrow('operations_scope_check');
    await expect(unsaid('platform', 'north')).rejects.toThrow('operations_scope_check');
    await expect(unsaid('anywhere', null)).rejects.toThrow('operations_scope_check');
  });

  test('that stop release their work at once, and others continue it', async () => {
    const begun = gate();
    const first = work(
      (point, { signal }) => {
        if (point !== 'port:before') return undefined;
        begun.open();
        return new Promise((_, reject) => signal.addEventListener('abort', reject));
      },
      { lease_ms: 60_000 },
    );
    const id = await create();
    await begun.opened;
    await first.stop();
    expect(await operationsOf(id)).toMatchObject([
      { status: 'running', stage: 'port', attempts: 0, lease_owner: null },
    ]);
    work();
    await untilStatus(id, 'succeeded');
  });

  test('that stop while a step ends start no further step', async () => {
    const begun = gate();
    const finish = gate();
    const points: string[] = [];
    const worker = work(async (point) => {
      points.push(point);
      if (point !== 'disk:before') return;
      begun.open();
      await finish.opened;
    });
    const id = await create();
    await begun.opened;
    const stopped = worker.stop();
    finish.open();
    await stopped;
    expect(points).toEqual(['disk:before', 'disk:after']);
    expect(await operationsOf(id)).toMatchObject([{ status: 'running', stage: 'port', lease_owner: null }]);
  });

  test('that cannot renew a lease stop the step before others can start it', async () => {
    const begun = gate();
    let interrupted: unknown;
    work((point, { signal }) => {
      if (point !== 'disk:before' || interrupted) return undefined;
      begun.open();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          interrupted = signal.reason;
          reject(signal.reason);
        });
      });
    });
    const id = await create();
    await begun.opened;
    await execute(sql`ALTER TABLE operations RENAME TO operations_away`);
    await until(async () => expect(interrupted).toEqual(new Error('the lease ran out')));
    await execute(sql`ALTER TABLE operations_away RENAME TO operations`);
    await untilStatus(id, 'succeeded');
  });

  test('keep the lease of a long step, so that nobody else runs it', async () => {
    const finish = gate();
    let runs = 0;
    const hook: Hook = async (point) => {
      if (point !== 'disk:before') return;
      runs += 1;
      await finish.opened;
    };
    work(hook);
    work(hook);
    const id = await create();
    const leaseUntil = () =>
      queryOne<{ until: Date; fresh: boolean }>(
        sql`SELECT lease_until AS until, lease_until > platform_now() AS fresh FROM operations WHERE resource_id = ${id}::uuid`,
      );
    await until(async () => expect((await leaseUntil())?.until).toBeTruthy());
    const first = (await leaseUntil())?.until.getTime() ?? 0;
    await until(async () => expect((await leaseUntil())?.until.getTime()).toBeGreaterThan(first + 2 * 600));
    expect(await leaseUntil()).toMatchObject({ fresh: true });
    expect(runs).toBe(1);
    finish.open();
    await untilStatus(id, 'succeeded');
    expect(await operationsOf(id)).toMatchObject([{ lease_token: 1 }]);
  });
});
