import { beforeEach, expect, test, vi } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { none } from '@/lib/core/domains/portal';
import type { Stop, Watch } from '@/lib/core/domains/watch';
import { testDatabase } from '@/lib/testing/database';
import { createCell } from '@/lib/testing/hosts';
import { useMemoryEngines } from '@/lib/testing/memory-engines';
import { startHostAgent } from './agent';
import { reportHost } from './host-report';
import { powerDown } from './power-down';

testDatabase();
beforeEach(async () => {
  useMemoryEngines();
  await execute(sql`TRUNCATE cells CASCADE`);
});

const nothing: Watch = { join: none, looks: [], changed: none, troubles: none, stop: none };

test('nothing is watched until every domain has let the cell take part, and then everything is', async () => {
  const done: string[] = [];
  const look = (name: string) => ({
    name,
    every_ms: 60_000,
    begin: () => ({ look: async () => void done.push(name) }),
  });
  const refuse = vi.fn(() => Promise.reject(new Error('not yet')));
  const refusing = { ...nothing, join: refuse, looks: [look('first')] };
  const refused = startHostAgent('test-host', [refusing, { ...nothing, looks: [look('second')] }]);
  await vi.waitUntil(() => refuse.mock.settledResults.length > 0, { timeout: 10_000 });
  await refused.stop();
  expect(done).toEqual([]);

  const agent = startHostAgent('test-host', [
    { ...refusing, join: none },
    { ...nothing, looks: [look('second')] },
  ]);
  await vi.waitUntil(() => done.length === 2, { timeout: 10_000 });
  await agent.stop();
  expect(done.toSorted()).toEqual(['first', 'second']);
});

test('instances stop before the services that they use, and both before their networks, each with its own grace period', async () => {
  const done: string[] = [];
  const stop = (stage: Stop['stage'], name: string, grace_s: number): Pick<Watch, 'stop'> => ({
    stop: {
      stage,
      grace_s,
      async run(seconds) {
        await new Promise(setImmediate);
        done.push(`${name} in ${seconds} s`);
      },
    },
  });
  const watches = [
    stop('networks', 'bridges', 1),
    stop('services', 'servers', 5),
    nothing,
    stop('machines', 'guests', 20),
  ];
  expect(await powerDown('test-host', watches)).toBe(false);
  expect(done).toEqual([]);
  await createCell();
  expect(await powerDown('test-host', watches)).toBe(true);
  expect(done).toEqual(['guests in 20 s', 'servers in 5 s', 'bridges in 1 s']);
});

test('the capacity of a cell is its promised plus its free room, each counted once', async () => {
  const engines = useMemoryEngines();
  const memoryMb = { total: 1000, committed: 300, free: 500, overhead: 160 };
  engines.capacity = { ...engines.capacity, memoryMb };
  await reportHost('test-host');
  const usable = () => queryOne(sql`SELECT memory_mb_usable FROM cells WHERE id = 'test-host'`);
  expect(await usable()).toEqual({ memory_mb_usable: 800 });
  vi.spyOn(engines.services, 'observeServices').mockResolvedValue([
    { id: newId(), power: 'running', stray: false, startedAt: new Date(), starts: 1, lastExit: null },
  ]);
  vi.spyOn(engines.services, 'sampleService').mockResolvedValue({
    sampledAt: new Date(),
    cpuSeconds: 0,
    memoryBytes: 100 * 1024 ** 2,
    processes: 1,
    state: null,
    network: { receivedBytes: 0, sentBytes: 0 },
  });
  await reportHost('test-host');
  expect(await usable()).toEqual({ memory_mb_usable: 800 });
});
