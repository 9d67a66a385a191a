import { newId } from '@/lib/core/db/id';
import { execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { rollUpJob } from '@/lib/core/devices/rollups';
import { keepSamples } from '@/lib/core/devices/samples';
import { knownSeries, readPoints } from '@/lib/core/devices/series';
import { instanceSeries } from '@/lib/domains/compute/instance-metrics';
import { middle, printRatio } from './ratio';

const DEVICES = 10_000;
const SAMPLE_MS = 15_000;
/** Five minutes of samples. */
const REPORTS = 20;

/** Measures the metric store with 10,000 devices: the cost of a report, a roll-up and a chart. */
export async function measureMetrics(): Promise<void> {
  const project = newId();
  await execute(
    sql`INSERT INTO projects (id, name, slug, created_at, updated_at) VALUES (${project}::uuid, 'bench', 'bench', now(), now())`,
  );
  const devices = Array.from({ length: DEVICES }, () => newId());
  await execute(
    sql`INSERT INTO devices (project_id, id, kind) SELECT ${project}::uuid, id, 'instance' FROM unnest(${devices}::uuid[]) AS id`,
  );
  await execute(
    sql`CREATE TABLE one_row_a_value (series_id int, at timestamptz(3), value float8, PRIMARY KEY (series_id, at))`,
  );
  const start = Math.floor(Date.now() / 300_000) * 300_000 - 600_000;
  await execute(sql`UPDATE metric_levels SET until = ${new Date(start)}::timestamptz WHERE step_s = 300`);

  const [rows, values] = [[], []] as [Load[], Load[]];
  for (let report = 1; report <= REPORTS; report++) {
    const at = new Date(start + report * SAMPLE_MS);
    rows.push(await timed(() => reportAll(project, devices, at, report)));
    values.push(await timed(() => reportValues(at, report)));
  }
  const [row, value] = [middle(rows, 'p50_ms'), middle(values, 'p50_ms')];
  const size = await queryRow<{ rows: number; values: number }>(sql`
    SELECT (pg_total_relation_size('device_samples') / ${DEVICES * REPORTS}::int)::int AS rows,
      (pg_total_relation_size('one_row_a_value') / ${DEVICES * REPORTS}::int)::int AS values`);
  const detail = `${row.p50_ms.toFixed(0)} ms to ${value.p50_ms.toFixed(0)} ms for ${DEVICES.toLocaleString('en')} devices`;
  printRatio('a report, one row a sample to one row a value', row.p50_ms / value.p50_ms, detail);
  printRatio('the same in bytes', size.rows / size.values, `${size.rows} to ${size.values} bytes a sample of 9 series`);

  const rolled = await timed(() => rollUpJob.run(new AbortController().signal));
  const share = `${rolled.p50_ms.toFixed(0)} ms for 5 minutes of ${DEVICES.toLocaleString('en')} devices`;
  printRatio('rolling up to a report', rolled.p50_ms / row.p50_ms, share);

  const [device = ''] = devices;
  await fillDay(project, device, start);
  const [cpu] = await knownSeries(['nephele_instance_cpu_seconds']);
  if (!cpu) throw new Error('no series');
  const span = { from: new Date(start - 86_400_000), to: new Date(start), level: 15 as const };
  const day = await timed(() => readPoints(project, [{ ...cpu, device_id: device }], span));
  console.log(`${'a day of one series, 5,760 samples'.padEnd(46)} ${day.p50_ms.toFixed(1)} ms`);
}

type Load = Parameters<typeof middle>[0][number];

async function timed(work: () => Promise<unknown>): Promise<Load> {
  const started = performance.now();
  await work();
  const took = performance.now() - started;
  return { answers: 1, perSecond: 1000 / took, p50_ms: took, p99_ms: took };
}

const reportAll = (project_id: string, devices: readonly string[], at: Date, count: number) =>
  keepSamples(
    instanceSeries,
    devices.map((device_id) => ({
      project_id,
      device_id,
      at,
      values: instanceSeries.map((_, i) => count * 1_000_003 + i),
    })),
  );

/** The write of a store with one row per value, without resets, owners and foreign keys. */
const reportValues = (at: Date, count: number) =>
  execute(sql`INSERT INTO one_row_a_value SELECT id, ${at}::timestamptz, ${count * 1_000_003}::float8 + id
    FROM generate_series(1, ${DEVICES * instanceSeries.length}::int) AS id`);

const fillDay = (project: string, device: string, end: number) =>
  execute(sql`INSERT INTO device_samples (device_id, shape_id, at, project_id, "values")
    SELECT device_id, shape_id, ${new Date(end)}::timestamptz - n * interval '15 seconds', project_id, "values"
    FROM device_samples, generate_series(0, 5759) AS n
    WHERE project_id = ${project}::uuid AND device_id = ${device}::uuid AND at = ${new Date(end + SAMPLE_MS)}::timestamptz`);
