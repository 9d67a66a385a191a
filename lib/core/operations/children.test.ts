import { expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { EngineError } from '@/lib/engines/error';
import { testDatabase } from '@/lib/testing/database';
import { logOf, operationsOf, widgetState } from '@/lib/testing/operations';
import {
  assembleOperation,
  createWidgetOperation,
  deleteWidgetOperation,
  type Hook,
  widgetSteps,
} from '@/lib/testing/widget-operations';
import { gate, until, untilStatus, widgetProject, widgetWorkers } from '@/lib/testing/widget-workers';
import { createWidget, miscounted, orderDelete, widgetCall } from '@/lib/testing/widgets';
import { childrenOf, childrenStarted, isUnfinished, withChildren } from './children';
import { done, failure, platformOperationSteps, waitForChildren } from './steps';

testDatabase();
const project = widgetProject();

const work = widgetWorkers();
type Assembly = { members: string[]; tolerates?: boolean };

/** Creates a widget with these members. */
const assemble = (input: Assembly, deadline_ms = 60_000) =>
  createWidget(widgetCall(project.id), {
    amounts: { instances: 1 },
    operation: (id) => ({ ...assembleOperation.start(id, input), deadline_ms }),
  });
const remove = (id: string) => orderDelete(widgetCall(project.id), id, deleteWidgetOperation.start(id, {}));
/** Waits until the operation waits for its children, without a lease. */
const untilWaiting = (id: string) =>
  until(async () => {
    const row = await queryOne(sql`SELECT lease_owner, waiting_since IS NOT NULL AS waits FROM operations
      WHERE resource_id = ${id}::uuid ORDER BY id DESC LIMIT 1`);
    expect(row).toEqual({ lease_owner: null, waits: true });
  });

const errorOf = async (id: string) =>
  (await queryOne<{ error: string | null }>(sql`SELECT error FROM operations WHERE resource_id = ${id}::uuid`))?.error;

test('a parent waits for its children without a lease, and continues as soon as the last one has ended', async () => {
  const members = [newId(), newId(), newId()];
  const last = gate();
  let boots = 0;
  // One slot in total: a parent that kept it would block its children.
  work((point) => (point === 'boot:before' && ++boots === 3 ? last.opened : undefined), { concurrency: 1 });
  const id = await assemble({ members });
  await until(async () => expect(boots).toBe(3));
  await untilWaiting(id);
  expect(await widgetState(id)).toMatchObject({ status: 'provisioning' });
  last.open();
  await untilStatus(id, 'succeeded');
  for (const member of [id, ...members]) expect(await widgetState(member)).toEqual({ status: 'active', reason: null });
  expect(await logOf(id)).toEqual(['stage members', 'stage finish', 'info finish Done.']);
  const requests = await query(sql`SELECT DISTINCT request_id FROM operations
    WHERE resource_id = ANY (${[id, ...members]}::uuid[])`);
  expect(requests, 'children belong to the request of their parent').toHaveLength(1);
  expect(await miscounted(project.id)).toEqual([]);
});

test('a child that ends while its parent is about to wait is not missed', async () => {
  const member = newId();
  const looked = gate();
  const ended = gate();
  let looks = 0;
  work(async (point, { operation }) => {
    if (point === 'boot:before' && operation.resource_id === member) await looked.opened;
    if (point !== 'members:after' || ++looks !== 2) return;
    looked.open();
    await ended.opened;
  });
  const id = await assemble({ members: [member] });
  await untilWaiting(id);
  // The parent checks again, finds the child running, and is about to record that it waits.
  await execute(sql`UPDATE operations SET run_at = platform_now() WHERE resource_id = ${id}::uuid`);
  await untilStatus(member, 'succeeded');
  ended.open();
  await untilStatus(id, 'succeeded');
});

test.each([
  [false, { status: 'error', reason: expect.stringMatching(/^member 0 failed: .*The bridge is away\.$/) }, 'failed'],
  [true, { status: 'active', reason: null }, 'succeeded'],
] as const)(
  'a child’s failure is left to its parent to handle (parent continues: %s)',
  async (tolerates, state, status) => {
    const members = [newId(), newId()];
    const steps = widgetSteps((point, { operation }) => {
      if (point === 'port:before' && operation.resource_id === members[0])
        throw new EngineError('ENGINE_ERROR', 'The bridge is away.');
    });
    work(undefined, { steps });
    const id = await assemble({ members, tolerates });
    await untilWaiting(id);
    // Once it has failed a first time.
    await until(async () => expect(await errorOf(members[0] ?? '')).toMatch(/The bridge is away/));
    await execute(sql`UPDATE operations SET deadline_at = platform_now() WHERE resource_id = ${members[0]}::uuid`);
    await untilStatus(id, status);
    expect(await widgetState(id)).toEqual(state);
    expect(await widgetState(members[0] ?? '')).toMatchObject({ status: 'error' });
    expect(await widgetState(members[1] ?? '')).toMatchObject({ status: 'active' });
  },
);

test('a parent’s deadline is paused while it waits for a child, and resumes afterwards', async () => {
  const member = newId();
  const booting = gate();
  const finishing = gate();
  work((point, { operation, signal }) => {
    if (point === 'boot:before' && operation.resource_id === member) return booting.opened;
    if (point !== 'finish:before') return undefined;
    finishing.open();
    return new Promise((_, reject) => signal.addEventListener('abort', reject));
  });
  const id = await assemble({ members: [member] }, 2000);
  await untilWaiting(id);
  await execute(sql`UPDATE operations SET waiting_since = waiting_since - interval '1 hour', created_at = created_at - interval '1 hour',
    deadline_at = deadline_at - interval '1 hour' WHERE resource_id = ${id}::uuid`);
  booting.open();
  // The rest of its two seconds, and no more.
  await finishing.opened;
  await untilStatus(id, 'failed');
  expect(await widgetState(id)).toMatchObject({ reason: 'It did not finish within 60 min.' });
});

test('a delete cancels the whole tree and waits for the workers of all its parts', async () => {
  const [middle, leaf] = [newId(), newId()];
  const booting = gate();
  const finish = gate();
  const nested = platformOperationSteps(
    createWidgetOperation,
    {
      disk: (step) =>
        withChildren(step, { children: { leaf: assembleOperation.start(leaf, { members: [] }) } }, () => done()),
      port: async () => done(),
      boot: async () => done(),
    },
    { failed: async () => done() },
  );
  const hook: Hook = async (point, { operation }) => {
    if (point !== 'finish:before' || operation.resource_id !== leaf) return;
    booting.open();
    await finish.opened;
  };
  const [, destroy, assembly] = widgetSteps(hook);
  if (!destroy || !assembly) throw new Error('the steps of widgets have changed');
  work(undefined, { steps: [nested, destroy, assembly] });
  const id = await assemble({ members: [middle] });
  await booting.opened;
  await remove(id);
  const cancelled = { status: 'cancelled', error: 'A delete took its place.' };
  expect((await operationsOf(id))[0]).toMatchObject(cancelled);
  expect(await operationsOf(middle)).toMatchObject([cancelled]);
  expect(await operationsOf(leaf)).toMatchObject([{ ...cancelled, lease_owner: expect.any(String) }]);
  expect((await operationsOf(id)).at(-1)).toMatchObject({ status: 'pending' });
  // A later order is finished: the delete would have started by now if it did not wait.
  const other = await createWidget(widgetCall(project.id), {
    amounts: {},
    operation: (widget) => deleteWidgetOperation.start(widget, {}),
  });
  await untilStatus(other, 'succeeded');
  expect((await operationsOf(id)).at(-1)).toMatchObject({ status: 'pending' });
  finish.open();
  await untilStatus(id, 'succeeded');
  expect(await widgetState(id)).toBeUndefined();
});

test('a parent notices the delete of a child’s resource at once', async () => {
  const member = newId();
  work((point, { signal }) =>
    point === 'boot:before' ? new Promise((_, reject) => signal.addEventListener('abort', reject)) : undefined,
  );
  const id = await assemble({ members: [member] });
  await untilWaiting(id);
  await until(async () => expect(await operationsOf(member)).toMatchObject([{ stage: 'boot' }]));
  await remove(member);
  await untilStatus(id, 'failed');
  expect(await widgetState(id)).toMatchObject({ reason: 'member 0 cancelled: A delete took its place.' });
});

test('a parent can delete what another of its children is still creating', async () => {
  const member = newId();
  const making = gate();
  const steps = platformOperationSteps(
    assembleOperation,
    {
      async members(step) {
        const children = await childrenOf(step);
        if (!children.has('make'))
          return waitForChildren({ children: { make: createWidgetOperation.start(member, {}) } });
        await making.opened;
        return withChildren(step, { children: { remove: deleteWidgetOperation.start(member, {}) } }, () => done());
      },
      finish: async () => done(),
    },
    { failed: async () => done() },
  );
  const others = widgetSteps((point, { signal }) => {
    if (point !== 'boot:before') return undefined;
    making.open();
    return new Promise((_, reject) => signal.addEventListener('abort', reject));
  }).filter(({ kind }) => kind !== 'widget.assemble');
  work(undefined, { steps: [steps, ...others] });
  const id = await assemble({ members: [] });
  await making.opened;
  await execute(sql`UPDATE operations SET run_at = platform_now() WHERE resource_id = ${id}::uuid`);
  await untilStatus(id, 'succeeded');
  expect(await operationsOf(member)).toMatchObject([{ status: 'cancelled' }, { status: 'succeeded' }]);
});

test('a step that starts the same children on every run starts them once', async () => {
  const members = [newId(), newId()];
  const steps = platformOperationSteps(
    assembleOperation,
    {
      async members(step) {
        const children = [...(await childrenOf(step)).values()];
        if (children.length === 2 && !children.some(isUnfinished)) return done();
        const wanted = children.length === 0 ? members.slice(0, 1) : members;
        return waitForChildren({
          children: Object.fromEntries(wanted.map((id) => [id, createWidgetOperation.start(id, {})])),
        });
      },
      finish: async () => done(),
    },
    { failed: async () => done() },
  );
  work(undefined, { steps: [steps, ...widgetSteps().slice(0, 2)] });
  const id = await assemble({ members: [] });
  await untilStatus(id, 'succeeded');
  for (const member of members) expect(await operationsOf(member)).toMatchObject([{ status: 'succeeded' }]);
});

test('a failure handler can wait for children, and the failure’s reason is kept', async () => {
  const member = newId();
  const steps = platformOperationSteps(
    assembleOperation,
    { members: async () => failure('No.'), finish: async () => done() },
    {
      failed: (step) =>
        withChildren(
          step,
          { children: { remove: deleteWidgetOperation.start(member, {}) }, waits_for: 'Removing a member.' },
          () => done(),
        ),
    },
  );
  work(undefined, { steps: [steps, ...widgetSteps().slice(0, 2)] });
  const id = await assemble({ members: [] });
  await untilStatus(id, 'failed');
  expect(await operationsOf(id)).toMatchObject([{ error: 'No.' }]);
  expect(await operationsOf(member)).toMatchObject([{ status: 'succeeded' }]);
});

test('a child on its parent’s resource would wait forever and is refused', () => {
  const id = newId();
  const parent = {
    id: newId(),
    project_id: null,
    kind: 'widget.assemble',
    resource_type: 'widget',
    resource_id: id,
    stage: 'members',
    attempts: 0,
    request_id: null,
    cell_id: null,
    created_at: new Date(),
  };
  expect(() => childrenStarted(parent, { own: createWidgetOperation.start(id, {}) })).toThrow('the same resource');
  expect(isUnfinished({ name: 'a', status: 'pending', error: null, resource_id: id })).toBe(true);
});
