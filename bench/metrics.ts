import { newId } from '@/lib/core/db/id';
import { execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { rollUpJob } from '@/lib/core/devices/rollups';
import { keepSamples } from '@/lib/core/devices/samples';
import { knownSeries, readPoints, readTotals } from '@/lib/core/devices/series';
import { instanceMetrics, instanceSeries } from '@/lib/domains/compute/instance-metrics';
import { seriesOfTypes } from '@/lib/domains/observability/metrics/metric-types';
import { ProjectSeries } from '@/lib/domains/observability/metrics/project-samples';
import { evaluate } from '@/lib/domains/observability/metrics/promql/evaluate';
import { parsePromql } from '@/lib/domains/observability/metrics/promql/parse';
import { metricTypes } from '@/lib/domains/observability/metrics/schema';
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
  const perSecond = Math.round(DEVICES / (row.p50_ms / 1000)).toLocaleString('en');
  console.log(`${'samples stored each second, of 9 series'.padEnd(46)} ${perSecond}`);
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
  await measureQueries(project, devices.slice(0, QUERIED), start);
}

/** Devices of a project that is queried. */
const QUERIED = 50;

/** PromQL over roll-ups of a week, and the sums of a dashboard, for a project with some devices. */
async function measureQueries(benchProject: string, devices: readonly string[], end: number): Promise<void> {
  await execute(sql`INSERT INTO device_rollups (device_id, shape_id, step_s, until, at, project_id, "values", samples, means, lows, highs)
    SELECT s.device_id, s.shape_id, 300, t.at, t.at, s.project_id, s."values", 20, '{1}', '{1}', '{1}'
    FROM device_samples s, LATERAL (SELECT ${new Date(end)}::timestamptz - n * interval '5 minutes' AS at FROM generate_series(0, 2015) AS n) AS t
    WHERE s.device_id = ANY (${devices}::uuid[]) AND s.at = ${new Date(end + SAMPLE_MS)}::timestamptz ON CONFLICT DO NOTHING`);
  const named = `SELECT project_id, id, id::text AS name FROM devices WHERE id IN (${devices.map((id) => `'${id}'`).join(', ')})`;
  const kind = { kind: 'instance', service: 'compute', metrics: instanceMetrics, table: `(${named})`, title: 'r.name' };
  const series = new ProjectSeries(benchProject, [kind]);
  for (const [text, days] of [
    ['sum(rate(nephele_instance_cpu_seconds[1h]))', 3],
    ['sum(rate(nephele_instance_cpu_seconds[1h]))', 7],
    ['topk(5, avg_over_time(nephele_instance_memory_bytes[1h]))', 7],
  ] as const) {
    const query = parsePromql(text);
    const steps = { start: end - days * 86_400_000, end, step: 3_600_000 };
    const took = await timed(() =>
      evaluate(query, steps, series.samplesFor(query, steps, new Date(end)), new AbortController().signal),
    );
    console.log(`${`${days} days of ${devices.length} devices`.padEnd(46)} ${took.p50_ms.toFixed(0)} ms  ${text}`);
  }
  const { resources, series: wanted } = await seriesOfTypes(series, metricTypes);
  const span = { from: new Date(end - 86_400_000), to: new Date(end), level: 300, interval_s: 300 } as const;
  const sums = await timed(() => readTotals(benchProject, { devices: [...resources.keys()], series: wanted }, span));
  console.log(`${`the sums of a dashboard, a day of ${devices.length}`.padEnd(46)} ${sums.p50_ms.toFixed(0)} ms`);
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
