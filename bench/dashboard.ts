import { execute, query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { keepSamples } from '@/lib/core/devices/samples';
import { instanceSeries } from '@/lib/domains/compute/instance-metrics';
import { writeLogs } from '@/lib/domains/observability/logs/write';
import { reportEngine } from '@/lib/hosts/engine-reports/service';
import { ensureKeys } from '@/lib/runtime/keys';
import { ownCell } from '@/lib/settings';
import { createCell } from '@/lib/testing/hosts';
import { launch } from '@/lib/testing/machines';
import { api, createProject } from '@/lib/testing/world';
import { copyInstances } from './instance-rows';
import { median } from './inventory';
import { verdict } from './ratio';

const INSTANCES = 1000;
const SAMPLE_MS = 15_000;
/** Since the last roll-up, which is at most six minutes old. */
const SAMPLES = 24;
/** Roll-ups that a dashboard of a week reads, and one of an hour. */
const ROLLUPS = [
  { step_s: 3600, count: 7 * 24 },
  { step_s: 300, count: 14 },
];
const LINES = 20_000;
const RUNS = 11;

/** Measures the dashboard of a project with 1,000 instances and 20,000 log lines. */
export async function measureDashboard(): Promise<void> {
  ensureKeys();
  await createCell(ownCell());
  await reportEngine(ownCell(), { engine: 'compute', status: 'available', message: '' });
  const call = api();
  const project = await createProject('dashboard');
  const created = await launch(call, project);
  if (created.status !== 201) throw new Error(`no instance: ${created.text}`);
  await copyInstances(project.id, INSTANCES);
  await fillMetrics(project.id);
  await fillLogs(project.id);
  await execute(raw('ANALYZE'));
  for (const period of ['1h', '6h', '24h', '7d']) {
    const took = await median(async () => {
      const { status, text } = await call('GET', `/observability/dashboard?period=${period}`, {
        token: project.users.reader.token,
      });
      if (status !== 200) throw new Error(text);
    }, RUNS);
    const what = `the dashboard of ${INSTANCES.toLocaleString('en')} instances over ${period}`;
    console.log(`${what.padEnd(46)} ${took.toFixed(0)} ms${verdict({ text: '≤ 200 ms', met: took <= 200 })}`);
  }
}

async function fillMetrics(project_id: string): Promise<void> {
  const now = Math.floor(Date.now() / SAMPLE_MS) * SAMPLE_MS;
  const rows = await query<{ id: string }>(sql`SELECT id FROM instances WHERE project_id = ${project_id}::uuid`);
  for (let index = SAMPLES; index >= 0; index -= 1) {
    const at = new Date(now - index * SAMPLE_MS);
    const values = instanceSeries.map((_, position) => (SAMPLES - index) * 15 + position);
    await keepSamples(
      instanceSeries,
      rows.map(({ id }) => ({ project_id, device_id: id, at, values })),
    );
  }
  for (const { step_s, count } of ROLLUPS) {
    const end = new Date(Math.floor(now / (step_s * 1000)) * step_s * 1000);
    await execute(sql`UPDATE metric_levels SET until = ${end}::timestamptz WHERE step_s = ${step_s}::int`);
    await execute(sql`INSERT INTO device_rollups (device_id, shape_id, step_s, until, at, project_id, "values", samples, means, lows, highs)
      SELECT s.device_id, s.shape_id, ${step_s}::int, t.at, t.at, s.project_id, s."values", 20, '{1}', '{1}', '{1}'
      FROM device_samples s, LATERAL (SELECT ${end}::timestamptz - n * ${step_s}::int * interval '1 second' AS at
        FROM generate_series(0, ${count}::int) AS n) AS t
      WHERE s.at = ${new Date(now)}::timestamptz`);
  }
}

function fillLogs(project_id: string): Promise<boolean> {
  const labels = { service: 'compute', level: 'info', stream: 'console' } as const;
  const lines = Array.from({ length: LINES }, (_, index) => ({
    ...{ project_id, labels },
    at: new Date(Date.now() - index * 100),
    text: `line ${index}`,
  }));
  return writeLogs(lines);
}
