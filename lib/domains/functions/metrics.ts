import { now } from '@/lib/clock';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { DeviceSeries, Metric } from '@/lib/core/devices/metric';
import { type DeviceSample, keepSamples } from '@/lib/core/devices/samples';
import type { FunctionPool } from './pool/pool';

const MS = 1000;

const invocations: Metric = {
  name: 'nephele_function_handler_invocations',
  type: 'counter',
  unit: 'invocations',
  help: 'Starts of the handler by how they ended (`status`).',
};
const coldStarts: Metric = {
  name: 'nephele_function_cold_start_invocations',
  type: 'counter',
  unit: 'invocations',
  help: 'Those that waited for a new instance.',
};
const throttled: Metric = {
  name: 'nephele_function_throttled_invocations',
  type: 'counter',
  unit: 'invocations',
  help: 'Events refused because of the concurrency.',
};
const concurrency: Metric = {
  name: 'nephele_function_concurrent_events',
  type: 'gauge',
  unit: 'events',
  help: 'Most events at the same time since the last sample.',
};
const median: Metric = {
  name: 'nephele_function_duration_p50_seconds',
  type: 'gauge',
  unit: 'seconds',
  help: 'Median duration of the handler since the last sample.',
};
const slowest: Metric = {
  name: 'nephele_function_duration_p99_seconds',
  type: 'gauge',
  unit: 'seconds',
  help: '99th percentile of the same.',
};

/** What functions report. */
export const functionMetrics: readonly Metric[] = [invocations, coldStarts, throttled, concurrency, median, slowest];

const statuses = ['succeeded', 'failed', 'timed_out', 'out_of_memory'] as const;

const plain = ({ name, type }: Metric): DeviceSeries => ({ name, type, labels: {} });
const series: DeviceSeries[] = [
  ...statuses.map((status) => ({ name: invocations.name, type: invocations.type, labels: { status } })),
  ...[coldStarts, throttled, concurrency].map(plain),
];
/** Series of their own, because there are none in a time without invocations. */
const times = [median, slowest].map(plain);

/** Records what functions have done. Those that nobody calls report nothing. */
export async function sampleFunctions(pool: FunctionPool): Promise<void> {
  const figures = pool.figures.all();
  if (figures.size === 0) return;
  const known = await query<{ id: string; project_id: string }>(
    sql`SELECT id, project_id FROM functions WHERE id = ANY (${[...figures.keys()]}::uuid[])`,
  );
  const at = now();
  const beginnings: DeviceSample[] = [];
  const samples: DeviceSample[] = [];
  const durations: DeviceSample[] = [];
  for (const { id, project_id } of known) {
    const figure = figures.get(id);
    if (!figure) continue;
    const recent = figure.takeRecent();
    if (recent.began && recent.began < at) {
      beginnings.push({ project_id, device_id: id, at: recent.began, values: series.map(() => 0) });
    }
    const of = { project_id, device_id: id, at };
    const counts = statuses.map((status) => figure.counts[status]);
    samples.push({ ...of, values: [...counts, figure.coldStarts, figure.throttled, recent.peak] });
    if (recent.durations) durations.push({ ...of, values: [recent.durations.p50 / MS, recent.durations.p99 / MS] });
  }
  for (const id of figures.keys()) if (!known.some((row) => row.id === id)) pool.figures.forget(id);
  // A rate needs two samples, so a function begins at zero. Each sample is compared with the one before: zeros go first.
  await keepSamples(series, beginnings);
  await keepSamples(series, samples);
  await keepSamples(times, durations);
}
