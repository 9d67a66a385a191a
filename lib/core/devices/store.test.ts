import { beforeEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { execute, query } from '@/lib/core/db/pool';
import { prisma } from '@/lib/core/db/prisma';
import { raw, sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { createProject, type TestProject } from '@/lib/testing/world';
import type { DeviceSeries } from './metric';
import { metricPurges, rollUpJob } from './rollups';
import { keepSamples } from './samples';
import { knownSeries, type Level, levelOf, readIntervals, readPoints, readTotals } from './series';

testDatabase();

const series: readonly DeviceSeries[] = [
  { name: 'nephele_probe_sent_bytes', type: 'counter', labels: {} },
  { name: 'nephele_probe_memory_bytes', type: 'gauge', labels: {} },
];
const HOUR_MS = 3_600_000;
/** A full hour, long enough ago that everything up to an hour later can be rolled up. */
const start = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS;
const never = new AbortController().signal;

let acme: TestProject;
let device: string;
beforeEach(async () => {
  await execute(sql`DELETE FROM device_samples`);
  await execute(sql`DELETE FROM device_rollups`);
  await execute(sql`INSERT INTO metric_levels (step_s, until) VALUES (300, ${new Date(start)}::timestamptz), (3600, ${new Date(start)}::timestamptz)
    ON CONFLICT (step_s) DO UPDATE SET until = EXCLUDED.until`);
  acme = await createProject('acme');
  device = newId();
  await prisma().device.create({ data: { project_id: acme.id, id: device, kind: 'probe' } });
});

/** Reports samples, each at a number of seconds after the start. */
const report = (...samples: [second: number, sent: number, memory: number][]) =>
  Promise.all(
    samples.map(([second, sent, memory]) =>
      keepSamples(series, [
        { project_id: acme.id, device_id: device, at: new Date(start + second * 1000), values: [sent, memory] },
      ]),
    ),
  );
async function inOrder(...samples: [second: number, sent: number, memory: number][]): Promise<void> {
  for (const sample of samples) await report(sample);
}

async function read(name: string, level: Level, [first, last] = [0, 3 * 3600]) {
  const known = await knownSeries([name]);
  const wanted = known.map(({ shape_id, position, type }) => ({ device_id: device, shape_id, position, type }));
  const [found] = await readPoints(acme.id, wanted, {
    from: new Date(start + first * 1000),
    to: new Date(start + last * 1000),
    level,
  });
  return found && { ...found, at: found.at.map((at) => (at - start) / 1000) };
}

test('a sample reported twice is stored once', async () => {
  await inOrder([15, 1, 1], [15, 2, 2], [30, 3, 3]);
  expect(await read('nephele_probe_sent_bytes', 15)).toMatchObject({ at: [15, 30], values: [1, 3] });
});

test('a counter that restarts keeps growing, by what it counted since; a gauge may fall', async () => {
  await inOrder([15, 100, 9], [30, 130, 4], [45, 7, 2], [60, 9, 8], [75, 1, 1]);
  expect((await read('nephele_probe_sent_bytes', 15))?.values).toEqual([100, 130, 137, 139, 140]);
  expect((await read('nephele_probe_memory_bytes', 15))?.values).toEqual([9, 4, 2, 8, 1]);
});

test('a report of many devices is stored together, without those that are deleted or another project’s', async () => {
  const other = await createProject('globex');
  const at = new Date(start);
  await keepSamples(series, [
    { project_id: acme.id, device_id: device, at, values: [1, 2] },
    { project_id: other.id, device_id: device, at, values: [3, 4] },
    { project_id: acme.id, device_id: newId(), at, values: [5, 6] },
  ]);
  expect(await query(sql`SELECT project_id, "values" FROM device_samples`)).toEqual([
    { project_id: acme.id, values: [1, 2] },
  ]);
});

test('five minutes have the last counter, and the mean, lowest and highest gauge of their samples', async () => {
  await inOrder([15, 10, 4], [285, 30, 6], [300, 31, 8], [301, 40, 100]);
  await rollUpJob.run(never);
  expect(await read('nephele_probe_sent_bytes', 300, [0, 600])).toMatchObject({ at: [300, 301], values: [31, 40] });
  const memory = await read('nephele_probe_memory_bytes', 300, [0, 600]);
  expect(memory?.rolled).toEqual({ samples: [3, 1], means: [6, 100], lows: [4, 100], highs: [8, 100] });
});

test('an hour is rolled up from five minutes, each weighted by its samples', async () => {
  await inOrder([15, 1, 2], [30, 2, 4], [45, 3, 6], [3600, 9, 20]);
  await rollUpJob.run(never);
  const memory = await read('nephele_probe_memory_bytes', 3600);
  expect(memory).toMatchObject({ at: [3600], values: [20] });
  expect(memory?.rolled).toEqual({ samples: [4], means: [8], lows: [2], highs: [20] });
});

test('an interval without samples has no row', async () => {
  await inOrder([15, 1, 1], [915, 2, 2]);
  await rollUpJob.run(never);
  expect((await read('nephele_probe_memory_bytes', 300))?.at).toEqual([15, 915]);
  const rows = await query(sql`SELECT until FROM device_rollups WHERE step_s = 300`);
  expect(rows).toHaveLength(2);
});

test('rolling up again, or twice at the same time, counts nothing twice', async () => {
  await inOrder([15, 1, 1], [30, 2, 3], [400, 3, 5]);
  await Promise.all([rollUpJob.run(never), rollUpJob.run(never)]);
  const once = await query(sql`SELECT * FROM device_rollups ORDER BY step_s, until`);
  await execute(sql`UPDATE metric_levels SET until = ${new Date(start)}::timestamptz`);
  await rollUpJob.run(never);
  expect(await query(sql`SELECT * FROM device_rollups ORDER BY step_s, until`)).toEqual(once);
});

test('a roll-up that dies is neither half written nor marked as done, and the next one repeats it', async () => {
  await inOrder([15, 1, 1], [400, 3, 5]);
  await execute(
    sql`ALTER TABLE device_rollups ADD CONSTRAINT dies CHECK (until < ${raw(`'${new Date(start + 400_000).toISOString()}'`)}) NOT VALID`,
  );
  await expect(rollUpJob.run(never)).rejects.toThrow('dies');
  const levels = sql`SELECT until FROM metric_levels WHERE until > ${new Date(start)}::timestamptz`;
  expect([await query(sql`SELECT FROM device_rollups`), await query(levels)]).toEqual([[], []]);
  await execute(sql`ALTER TABLE device_rollups DROP CONSTRAINT dies`);
  await rollUpJob.run(never);
  expect((await read('nephele_probe_memory_bytes', 300))?.at).toEqual([15, 400]);
});

test('samples that are not rolled up yet are read as stored', async () => {
  await inOrder([15, 1, 1], [30, 2, 3]);
  expect(await read('nephele_probe_sent_bytes', 3600)).toMatchObject({ at: [15, 30], values: [1, 2] });
});

test('samples are purged after their retention, but never before they are rolled up', async () => {
  await inOrder([15, 1, 1], [30, 2, 3]);
  await setTestClock(50 * HOUR_MS);
  const purgeAll = async () => {
    for (const job of metricPurges) await job.run(never);
  };
  await purgeAll();
  expect(await query(sql`SELECT FROM device_samples`)).toHaveLength(2);
  await rollUpJob.run(never);
  await purgeAll();
  expect(await query(sql`SELECT FROM device_samples`)).toHaveLength(0);
  expect((await read('nephele_probe_sent_bytes', 300))?.values).toEqual([2]);
  await setTestClock(32 * 24 * HOUR_MS);
  await rollUpJob.run(never);
  await purgeAll();
  expect(await query(sql`SELECT step_s FROM device_rollups`)).toEqual([{ step_s: 3600 }]);
  await setTestClock(0);
});

test('the finest level that still has a time is read', () => {
  const now = new Date();
  const ago = (hours: number) => levelOf(new Date(now.getTime() - hours * HOUR_MS), now);
  expect([ago(48), ago(49), ago(30 * 24), ago(31 * 24)]).toEqual([15, 300, 300, 3600]);
});

test('intervals have the mean of a gauge and the growth of a counter per second; a gap has no rate', async () => {
  await inOrder([15, 100, 2], [30, 130, 4], [45, 160, 9], [600, 1000, 5], [615, 1015, 7]);
  const known = await knownSeries(series.map(({ name }) => name));
  const wanted = { devices: [device], series: known.map((one) => ({ ...one, part: one.position })) };
  const span = { from: new Date(start), to: new Date(start + 1200_000), level: 15, interval_s: 300 } as const;
  const found = (await readIntervals(acme.id, wanted, span)).map(({ interval, part, value }) => [
    (interval.getTime() - start) / 1000,
    part,
    value,
  ]);
  expect(found.toSorted()).toEqual([
    [300, 1, 2],
    [300, 2, 5],
    [600, 1, null],
    [600, 2, 5],
    [900, 1, 1],
    [900, 2, 7],
  ]);
});

test('a series is added up over devices by interval, and each device has its mean; a gap counts nowhere', async () => {
  const other = newId();
  await prisma().device.create({ data: { project_id: acme.id, id: other, kind: 'probe' } });
  await inOrder([15, 100, 2], [30, 130, 4], [315, 900, 8]);
  await keepSamples(series, [{ project_id: acme.id, device_id: other, at: new Date(start + 30_000), values: [7, 10] }]);
  const [memory] = await knownSeries(['nephele_probe_memory_bytes']);
  if (!memory) throw new Error('no series');
  const wanted = { devices: [device, other], series: [{ ...memory, part: 5 }] };
  const span = { from: new Date(start), to: new Date(start + 600_000), level: 15, interval_s: 300 } as const;
  const rows = await readTotals(acme.id, wanted, span);
  const at = (second: number) => new Date(start + second * 1000);
  expect(rows).toEqual([
    { part: 5, interval: at(300), device_id: null, value: 13 },
    { part: 5, interval: at(600), device_id: null, value: 8 },
    { part: 5, interval: null, device_id: device, value: 5.5 },
    { part: 5, interval: null, device_id: other, value: 10 },
  ]);
  await rollUpJob.run(never);
  expect(await readTotals(acme.id, wanted, { ...span, level: 300 })).toEqual(rows);
});

test('totals of roll-ups include the growth of counters, also across a restart, and leave out what is unknown', async () => {
  await inOrder([300, 300, 4], [600, 900, 6], [900, 30, 8]);
  await rollUpJob.run(never);
  const known = await knownSeries(['nephele_probe_sent_bytes', 'nephele_probe_memory_bytes']);
  const wanted = {
    devices: [device],
    series: known.map((one) => ({ ...one, part: one.type === 'counter' ? 3 : 1 })),
  };
  const span = { from: new Date(start), to: new Date(start + 900_000), level: 300, interval_s: 300 } as const;
  const at = (second: number) => new Date(start + second * 1000);
  const of = (part: number, rows: Awaited<ReturnType<typeof readTotals>>) =>
    rows.filter((row) => row.part === part).map(({ interval, value }) => [interval, value]);
  const rows = await readTotals(acme.id, wanted, span);
  expect(of(3, rows)).toEqual([
    [at(600), 2],
    [at(900), 0.1],
    [null, 1.05],
  ]);
  expect(of(1, rows)).toEqual([
    [at(300), 4],
    [at(600), 6],
    [at(900), 8],
    [null, 6],
  ]);
  expect(await readTotals(acme.id, { devices: [device], series: [] }, span)).toEqual([]);
});
