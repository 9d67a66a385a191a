import { beforeAll, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { EngineError } from '@/lib/engines/error';
import { testDatabase } from '@/lib/testing/database';
import { operationsOf, widgetState } from '@/lib/testing/operations';
import {
  assembleOperation,
  createMachineryTable,
  createWidgetOperation,
  type Hook,
  widgetSteps,
} from '@/lib/testing/widget-operations';
import { until } from '@/lib/testing/widget-workers';
import { createWidget, createWidgetTable, miscounted, widgetCall } from '@/lib/testing/widgets';
import { api, createProject, createUser, type TestProject } from '@/lib/testing/world';
import type { Operation, OperationDetails } from './schema';
import { startWorker } from './worker';

testDatabase();
const call = api();
let acme: TestProject;
let token: string;
beforeAll(async () => {
  await createWidgetTable();
  await createMachineryTable();
  acme = await createProject();
  ({ token } = await createUser('root@example.test', 'backoffice'));
});

/** Runs a widget's create until it has this status. */
async function create(status: string, options: { hook?: Hook; deadline_ms?: number } = {}): Promise<string> {
  const { hook, deadline_ms = 60_000 } = options;
  const id = await createWidget(widgetCall(acme.id), {
    amounts: { instances: 1 },
    operation: (widget) => ({ ...createWidgetOperation.start(widget, {}), deadline_ms }),
  });
  await run(id, status, hook);
  return id;
}

async function run(id: string, status: string, hook?: Hook): Promise<void> {
  const worker = startWorker({ steps: widgetSteps(hook), jobs: [], backoff: () => 60_000 });
  await until(async () => expect(await operationsOf(id)).toMatchObject([{ status, lease_owner: null }]));
  await worker.stop();
}

const broken: Hook = (point) => {
  if (point === 'port:before') throw new EngineError('ENGINE_ERROR', 'The bridge is away.');
};
const operationOf = async (id: string) => (await operationsOf(id))[0]?.id ?? '';
const read = async (id: string) =>
  (await call('GET', `/admin/api/v1/operations/${id}`, { token })).body as OperationDetails;
const retry = (id: string) => call('POST', `/admin/api/v1/operations/${id}/retry`, { token });

test('the back office lists all operations with their tenant and result', async () => {
  const id = await create('succeeded');
  const list = await call(
    'GET',
    `/admin/api/v1/operations?resource_id=${id}&status=succeeded&kind=widget.create&tenant_id=${acme.id}`,
    {
      token,
    },
  );
  expect(list.body).toMatchObject([
    {
      kind: 'widget.create',
      tenant_slug: acme.slug,
      stage: 'boot',
      worker: null,
      retry_refusal: 'The operation has already succeeded.',
    },
  ]);
  const [operation] = list.body as Operation[];
  const details = await read(operation?.id ?? '');
  expect(details.transitions.map(({ stage }) => stage)).toEqual(['disk', 'port', 'boot']);
  expect(details.logs.map(({ message }) => message)).toEqual(['The port has its address.', 'Done.']);
});

test('a project sees its own operations with stages and failure reason, but no intermediate problems', async () => {
  const done = await create('succeeded');
  const failed = await create('failed', { hook: broken, deadline_ms: 1000 });
  const stranger = await createProject();
  const list = (project: TestProject, query: string) =>
    call('GET', `/operations?${query}`, { token: project.users.reader.token });
  expect((await list(acme, `resource_id=${done}`)).body).toMatchObject([
    {
      kind: 'widget.create',
      status: 'succeeded',
      error: null,
      transitions: [{ stage: 'disk' }, { stage: 'port' }, { stage: 'boot' }],
    },
  ]);
  expect((await list(acme, `resource_id=${failed}&status=failed&kind=widget.create`)).body).toMatchObject([
    { error: expect.stringMatching(/./) },
  ]);
  expect((await list(stranger, `resource_id=${done}`)).body).toEqual([]);
  await execute(sql`UPDATE operations SET status = 'pending' WHERE resource_id = ${failed}::uuid`);
  expect((await list(acme, `resource_id=${failed}`)).body).toMatchObject([{ status: 'pending', error: null }]);
});

test('unfiltered lists contain everything, including waiting operations; a project’s list only its own', async () => {
  const [project, stranger] = [await createProject('lists'), await createProject('stranger')];
  const order = ({ id }: TestProject) =>
    createWidget(widgetCall(id), { amounts: {}, operation: (widget) => createWidgetOperation.start(widget, {}) });
  const [own, foreign] = [await order(project), await order(stranger)];
  const of = ({ body }: { body: unknown }) => (body as Operation[]).map(({ resource_id }) => resource_id);
  expect(of(await call('GET', '/admin/api/v1/operations', { token }))).toEqual(expect.arrayContaining([own, foreign]));
  const listed = await call('GET', '/operations', { token: project.users.reader.token });
  expect(listed.body).toMatchObject([{ resource_id: own, status: 'pending', finished_at: null }]);
});

test('a retried operation continues at the stage that failed, with its full time', async () => {
  const id = await create('failed', { hook: broken, deadline_ms: 1000 });
  expect(await widgetState(id)).toMatchObject({ status: 'error' });
  await execute(
    sql`UPDATE operations SET created_at = created_at - interval '1 minute' WHERE resource_id = ${id}::uuid`,
  );
  const operation = await operationOf(id);
  expect((await read(operation)).retry_refusal).toBeNull();

  const answer = await retry(operation);
  expect(answer.status).toBe(202);
  expect(answer.body).toMatchObject({ status: 'pending', stage: 'port', error: null });
  await run(id, 'succeeded');
  expect(await widgetState(id)).toEqual({ status: 'active', reason: null });
  const entry = await queryOne(
    sql`SELECT actor_name, result FROM audit_entries WHERE action = 'operation.retry' AND resource_id = ${operation}::text`,
  );
  expect(entry).toEqual({ actor_name: 'root@example.test', result: 'succeeded' });
});

test('retrying a failed parent retries its failed children', async () => {
  const member = newId();
  const id = await createWidget(widgetCall(acme.id), {
    amounts: { instances: 1 },
    operation: (widget) => assembleOperation.start(widget, { members: [member] }),
  });
  const worker = startWorker({ steps: widgetSteps(broken), jobs: [], backoff: () => 10 });
  const untilFailed = () => until(async () => expect(await operationsOf(id)).toMatchObject([{ status: 'failed' }]));
  await until(async () => expect(await operationsOf(member)).toMatchObject([{ stage: 'port' }]));
  await execute(sql`UPDATE operations SET created_at = created_at - interval '1 minute', deadline_at = platform_now()
    WHERE resource_id = ${member}::uuid`);
  await untilFailed();
  await worker.stop();
  expect((await retry(await operationOf(id))).status).toBe(202);
  await run(id, 'succeeded');
  expect(await widgetState(member)).toEqual({ status: 'active', reason: null });
});

test('an operation that waits after a failure can be retried at once', async () => {
  const id = await createWidget(widgetCall(acme.id), {
    amounts: { instances: 1 },
    operation: (widget) => createWidgetOperation.start(widget, {}),
  });
  const worker = startWorker({ steps: widgetSteps(broken), jobs: [], backoff: () => 600_000 });
  const waits = { status: 'running', attempts: 1, lease_owner: null };
  await until(async () => expect(await operationsOf(id)).toMatchObject([waits]));
  await worker.stop();
  expect((await retry(await operationOf(id))).status).toBe(202);
  await run(id, 'succeeded');
});

test('an operation is not retried when that would bypass the quota or undo later changes', async () => {
  const refused: Hook = (point) => {
    if (point === 'disk:before') throw new EngineError('ENGINE_ERROR', 'No disk.');
  };
  const released = await create('failed', { hook: refused, deadline_ms: 100 });
  const answer = await retry(await operationOf(released));
  expect(answer).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('quota has been returned') } },
  });

  const ended = await retry(await operationOf(await create('succeeded')));
  expect(ended.body).toMatchObject({ error: { message: 'The operation has already succeeded.' } });
  expect((await retry(acme.id)).status).toBe(404);
  expect(await miscounted(acme.id)).toEqual([]);
});
