import { beforeEach, describe, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { replaceEngines } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { testDatabase } from '@/lib/testing/database';
import { MemoryEngines } from '@/lib/testing/memory-engines';
import { serverSpec } from '@/lib/testing/service-spec';
import type { ServiceReport, ServiceSource, ServiceSpec, WantedService } from './engine';
import { keepServices, serviceTroubles, stateOfServices, stopServices } from './keeper';

testDatabase();

let host: MemoryEngines;
beforeEach(() => {
  host = new MemoryEngines();
  replaceEngines(host);
});

const server = (change: Partial<ServiceSpec> = {}) => serverSpec({ state: { sizeMb: 64 }, ...change });

/** Writes what a successful deletion leaves on record. */
async function deleted({ id }: ServiceSpec): Promise<void> {
  await execute(sql`INSERT INTO operations (id, kind, resource_type, resource_id, stage, status, input, scope, run_at, deadline_at,
      created_at, updated_at, finished_at)
    SELECT ${newId()}::uuid, 'server.delete', 'server', ${id}::uuid, 'remove', 'succeeded', '{}', 'platform', now, now, now, now, now
    FROM platform_now() AS now`);
}

/** A domain whose rows a test writes. */
function domainOf(...specs: ServiceSpec[]) {
  const rows: WantedService[] = specs.map((spec) => ({ spec, isBusy: false }));
  const reports: ServiceReport[] = [];
  const source: ServiceSource = {
    wantedServices: async () => rows,
    stopOrder: 0,
    report: async (told) => void reports.splice(0, reports.length, ...told),
  };
  return { rows, reports, source };
}

const powers = async () =>
  Object.fromEntries((await host.services.observeServices()).map(({ id, power }) => [id, power]));

describe('the services of a cell', () => {
  test('become what the domains want, and the report says the state of each', async () => {
    const [ready, slow, stopped] = [server(), server(), server({ power: 'stopped' })];
    const domain = domainOf(ready, slow, stopped);
    host.services.unready.add(slow.id);
    await keepServices('test-host', [domain.source]);
    expect(await powers()).toEqual({ [ready.id]: 'running', [slow.id]: 'running', [stopped.id]: 'stopped' });
    expect(domain.reports).toEqual([
      { id: ready.id, state: 'ready', reason: null },
      { id: slow.id, state: 'waiting', reason: 'Starting server' },
      { id: stopped.id, state: 'ready', reason: null },
    ]);
  });

  test('are all ensured anew after a reboot, when nothing runs and no record is left', async () => {
    const domain = domainOf(server(), server());
    await keepServices('test-host', [domain.source]);
    host.services.services.clear();
    await keepServices('test-host', [domain.source]);
    expect(Object.values(await powers())).toEqual(['running', 'running']);
  });

  test('stay as they are while an operation works on them, and are no strays', async () => {
    const spec = server();
    const domain = domainOf(spec);
    await keepServices('test-host', [domain.source]);
    domain.rows[0] = { spec: { ...spec, power: 'stopped' }, isBusy: true };
    await keepServices('test-host', [domain.source]);
    expect(await powers()).toEqual({ [spec.id]: 'running' });
    expect(domain.reports).toEqual([]);
  });

  test('of every domain are tried, although the engine fails', async () => {
    const [one, other] = [domainOf(server()), domainOf(server())];
    host.services.failure = new EngineError('ENGINE_UNAVAILABLE', 'runc is missing. Run: apt install runc');
    await keepServices('test-host', [one.source, other.source]);
    const failed = { state: 'failed', reason: 'runc is missing. Run: apt install runc' };
    expect([...one.reports, ...other.reports]).toMatchObject([failed, failed]);
  });

  test('that a look starts again during their deletion are removed with their data by the next look', async () => {
    const spec = server();
    const domain = domainOf(spec);
    await keepServices('test-host', [domain.source]);
    const interrupted: ServiceSource = {
      ...domain.source,
      async wantedServices() {
        const rows = [...domain.rows];
        await host.services.removeService(spec.id);
        await deleted(spec);
        domain.rows.pop();
        return rows;
      },
    };
    await keepServices('test-host', [interrupted]);
    expect(await powers()).toEqual({ [spec.id]: 'running' });
    await keepServices('test-host', [domain.source]);
    expect(await powers()).toEqual({});
    expect(serviceTroubles('test-host')).toEqual([]);
  });

  test('without a row are stopped, kept and reported', async () => {
    const [known, stray] = [server(), server()];
    const domain = domainOf(known, stray);
    await keepServices('test-host', [domain.source]);
    expect(serviceTroubles('test-host')).toEqual([]);
    domain.rows.pop();
    await keepServices('test-host', [domain.source]);
    expect(await powers()).toEqual({ [known.id]: 'running', [stray.id]: 'stopped' });
    expect(serviceTroubles('test-host')).toEqual([
      `Stopped services without a resource, whose data are kept: ${stray.id}.`,
    ]);
  });

  test('stay as they are when the rows of any domain cannot be read', async () => {
    const [one, other] = [domainOf(server()), domainOf(server())];
    await keepServices('test-host', [one.source, other.source]);
    const broken: ServiceSource = {
      ...other.source,
      wantedServices: () => Promise.reject(new Error('the database is away')),
    };
    await expect(keepServices('test-host', [one.source, broken])).rejects.toThrow('away');
    expect(Object.values(await powers())).toEqual(['running', 'running']);
  });

  test('stop in the order of their domains when the cell powers down, strays first, and start again afterwards', async () => {
    const [database, balancer, stray] = [server(), server(), server()];
    const [late, early] = [domainOf(database), domainOf(balancer)];
    const sources = [
      { ...late.source, stopOrder: 20 },
      { ...early.source, stopOrder: 10 },
    ];
    await keepServices('test-host', sources);
    await host.services.ensureService(stray);
    const stopped: string[] = [];
    const stop = host.services.stopService.bind(host.services);
    host.services.stopService = async (id) => {
      stopped.push(id);
      await stop(id);
    };
    await stopServices('test-host', sources);
    expect(stopped).toEqual([stray.id, balancer.id, database.id]);
    await keepServices('test-host', sources);
    expect(await powers()).toMatchObject({ [database.id]: 'running', [balancer.id]: 'running' });
  });

  test('count with the bytes in their state folders', async () => {
    await keepServices('test-host', [domainOf(server(), server()).source]);
    vi.spyOn(host.services, 'sampleService').mockResolvedValue({
      sampledAt: new Date(),
      cpuSeconds: 0,
      memoryBytes: 0,
      processes: 1,
      state: { usedBytes: 1024, totalBytes: 4096 },
      network: { receivedBytes: 0, sentBytes: 0 },
    });
    expect(await stateOfServices('test-host')).toBe(2048);
  });
});
