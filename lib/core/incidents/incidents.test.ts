import { beforeAll, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { failure, platformOperationSteps } from '@/lib/core/operations/steps';
import { startWorker, type WorkerOptions } from '@/lib/core/operations/worker';
import { EngineError } from '@/lib/engines/error';
import { registry } from '@/lib/metrics';
import { testDatabase } from '@/lib/testing/database';
import { operationsOf } from '@/lib/testing/operations';
import {
  createMachineryTable,
  createWidgetOperation,
  deleteWidgetOperation,
  widgetSteps,
} from '@/lib/testing/widget-operations';
import { createWidget, createWidgetTable, orderDelete, widgetCall } from '@/lib/testing/widgets';
import { api, createProject, createUser, type TestProject } from '@/lib/testing/world';
import { reportIncident, resolveIncident } from './incident';
import { measureIncidents } from './metrics';
import type { Incident } from './schema';

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

const list = async (filters: string) =>
  (await call('GET', `/admin/api/v1/incidents?${filters}`, { token })).body as Incident[];
const order = (deadline_ms = 60_000) =>
  createWidget(widgetCall(acme.id), {
    amounts: {},
    operation: (id) => ({ ...createWidgetOperation.start(id, {}), deadline_ms }),
  });

/** Runs the widget's latest operation until it has this status. */
async function run(id: string, status: string, steps: WorkerOptions['steps'] = widgetSteps()): Promise<void> {
  const worker = startWorker({ steps, jobs: [], backoff: () => 10 });
  await vi.waitFor(async () => expect((await operationsOf(id)).at(-1)).toMatchObject({ status, lease_owner: null }), {
    timeout: 10_000,
    interval: 5,
  });
  await worker.stop();
}

const broken = widgetSteps((point) => {
  if (point.startsWith('disk')) throw new EngineError('ENGINE_ERROR', 'The bridge is away.');
});

test('a missed deadline opens an incident, and the next success on the resource closes it', async () => {
  const id = await order(300);
  await run(id, 'failed', broken);
  const [operation] = await operationsOf(id);
  const opened = {
    key: `deadline ${id}`,
    status: 'open',
    tenant_slug: acme.slug,
    resource_type: 'widget',
    resource_id: id,
    operation_id: operation?.id,
    reason: expect.stringMatching(/^widget\.create: It did not finish within/),
    closed_at: null,
  };
  expect(await list(`resource_id=${id}&status=open&tenant_id=${acme.id}`)).toMatchObject([opened]);
  expect(await list(`resource_id=${id}&status=closed`)).toEqual([]);

  const other = await order();
  await run(other, 'succeeded');
  expect(await list(`resource_id=${id}&status=open`), 'a success elsewhere closes nothing').toHaveLength(1);

  await orderDelete(widgetCall(acme.id), id, deleteWidgetOperation.start(id, {}));
  await run(id, 'succeeded');
  expect(await list(`resource_id=${id}`)).toMatchObject([
    { ...opened, status: 'closed', closed_at: expect.any(String) },
  ]);
  expect(await list(`resource_id=${id}&status=open`)).toEqual([]);
});

test('an operation that reports its own failure opens no incident', async () => {
  const steps = platformOperationSteps(
    createWidgetOperation,
    {
      disk: async () => failure('The image is damaged.'),
      port: async () => failure(''),
      boot: async () => failure(''),
    },
    { failed: async () => ({ end: 'done', write: {} }) },
  );
  const id = await order();
  await run(id, 'failed', [steps]);
  expect(await list(`resource_id=${id}`)).toEqual([]);
});

test('a key has at most one open incident, with the latest reason, and pages hear only of new ones', async () => {
  const id = newId();
  const incident = { key: `stray ${id}`, project_id: null, resource: { type: 'volume', id }, reason: 'First.' };
  const hints = async () => (await query(sql`SELECT FROM changes WHERE topic = 'incident'`)).length;
  const before = await hints();
  await Promise.all(Array.from({ length: 5 }, () => reportIncident(incident)));
  expect(await hints()).toBe(before + 1);
  await reportIncident({ ...incident, reason: 'Second.' });
  expect(await list(`resource_id=${id}`)).toMatchObject([{ status: 'open', reason: 'Second.', tenant_name: null }]);
  await resolveIncident(incident.key);
  await resolveIncident(incident.key);
  expect(await hints()).toBe(before + 3);
  await reportIncident(incident);
  expect(await list(`resource_id=${id}`)).toMatchObject([{ reason: 'First.', status: 'open' }, { status: 'closed' }]);
});

test('the list has pages', async () => {
  const resource = { type: 'volume', id: newId() };
  for (const name of ['a', 'b', 'c'])
    await reportIncident({ key: `${name} ${resource.id}`, project_id: null, resource, reason: name });
  const first = await call('GET', `/admin/api/v1/incidents?resource_id=${resource.id}&limit=2`, { token });
  expect(first.body).toMatchObject([{ reason: 'c' }, { reason: 'b' }]);
  const next = /<[^>]*?(\/admin\/api\/v1[^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect((await call('GET', next, { token })).body).toMatchObject([{ reason: 'a' }]);
});

test('/metrics has the number of open incidents', async () => {
  const gauge = async () => {
    await measureIncidents();
    return Number(/^nephele_incidents_open (\d+)$/m.exec(await registry.metrics())?.[1]);
  };
  const before = await gauge();
  const id = newId();
  await reportIncident({ key: `count ${id}`, project_id: null, resource: { type: 'volume', id }, reason: 'One.' });
  expect(await gauge()).toBe(before + 1);
  await resolveIncident(`count ${id}`);
  expect(await gauge()).toBe(before);
});
