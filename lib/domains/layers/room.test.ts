import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queryRow } from '@/lib/core/db/pool';
import { Sql, sql } from '@/lib/core/db/sql';
import { startWorker, type Worker } from '@/lib/core/operations/worker';
import { FunctionHost } from '@/lib/domains/functions/pool/host';
import { functionsWork } from '@/lib/domains/functions/work';
import { reservationDifferences } from '@/lib/hosts/engine-reports/reservations';
import { ownCell } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { idIn, layersOf } from '@/lib/testing/layer-world';
import { type MemoryEngines, useMemoryEngines } from '@/lib/testing/memory-engines';
import { api, createProject, type TestProject } from '@/lib/testing/world';
import { BUILDER_MB } from './builder';
import { layerSteps } from './steps';
import { layersWork } from './work';

testDatabase();
const call = api();
const PATIENCE = { timeout: 30_000, interval: 50 };
/** A builder and a small function fit, and no two builders. */
const ROOM_MB = 1000;
let acme: TestProject;
let engines: MemoryEngines;
let worker: Worker;
let host: FunctionHost;

beforeEach(async () => {
  await createCell(ownCell(), { memory_mb: ROOM_MB });
  acme = await createProject('acme');
  engines = useMemoryEngines();
  worker = startWorker({ steps: layerSteps, jobs: [], backoff: () => 20 });
  host = new FunctionHost(ownCell());
  await host.look();
});
afterEach(async () => {
  await worker.stop();
  await host.end();
});

const reserved = async () =>
  (await queryRow<{ mb: number }>(sql`SELECT memory_mb_reserved AS mb FROM cells WHERE id = ${ownCell()}::text`)).mb;
const differences = () =>
  reservationDifferences([layersWork.room, functionsWork.room].flatMap((room) => (room instanceof Sql ? [room] : [])));

async function deploy(name: string, memory_mb: number): Promise<string> {
  const body = { name, template_id: 'python3.11', code: 'x = 1', memory_mb };
  const { id } = (await call('POST', '/functions', { token: acme.users.member.token, body })).body as { id: string };
  return id;
}

test('a build holds its memory before its builder starts and until it ends; another one waits, and functions get what is left', async () => {
  const layers = layersOf(acme);
  const layer = idIn(await layers.create('clients'));
  const first = idIn(await layers.require(layer, 'python3.11', 'requests==2.32.3'));
  await vi.waitFor(() => expect([...engines.services.services.keys()]).toEqual([first]), PATIENCE);
  expect(await reserved()).toBe(BUILDER_MB);
  expect(await differences()).toEqual([]);

  const second = idIn(await layers.require(layer, 'python3.11', 'idna==3.10'));
  await vi.waitFor(async () => {
    const { error } = await queryRow<{ error: string | null }>(
      sql`SELECT error FROM operations WHERE resource_id = ${second}::uuid`,
    );
    expect(error).toContain('no memory for the builder');
  }, PATIENCE);
  expect([...engines.services.services.keys()]).toEqual([first]);

  const [small, large] = [await deploy('small', 128), await deploy('large', 256)];
  const invoke = async (id: string) =>
    (await call('POST', `/functions/${id}/invoke`, { token: acme.users.member.token, body: {} })).status;
  await vi.waitFor(async () => expect(await invoke(small)).toBe(200), PATIENCE);
  expect(await reserved()).toBe(BUILDER_MB + 128);
  // Idle instances of others end for it, and that is not enough.
  expect(await invoke(large)).toBe(503);
  expect(await reserved()).toBe(BUILDER_MB);

  await layers.removeVersion(layer, first);
  await vi.waitFor(() => expect([...engines.services.services.keys()]).toEqual([second]), PATIENCE);
  expect(await reserved()).toBe(BUILDER_MB);
  // One that fails gives its memory back as one that was deleted.
  const builder = engines.services.services.get(second);
  if (builder) Object.assign(builder, { startedAt: null, lastExit: { code: 1, signal: null, outOfMemory: false } });
  await layers.becomes(layer, second, { status: 'error' });
  await vi.waitFor(async () => expect(await reserved()).toBe(0), PATIENCE);
  expect(await differences()).toEqual([]);
  const { n } = await queryRow<{ n: number }>(sql`SELECT count(*)::int AS n FROM devices WHERE kind = 'layer_version'`);
  expect(n).toBe(0);
});
