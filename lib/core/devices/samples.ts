import { databaseCache, execute, queryRow } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import type { DeviceSeries } from './metric';
import { queueing } from './pushes';

/** The report of a device at one time. */
export type DeviceSample = {
  project_id: string;
  device_id: string;
  at: Date;
  /** One value per series, in the same order. A counter counts since the device was started. */
  values: readonly number[];
};

/**
 * Stores the reports of devices of one kind in one statement. Existing samples stay unchanged, and those of deleted
 * devices are dropped. With an outside store, the same statement queues new samples for it.
 * @param series the meaning of the values, the same for all samples
 */
export async function keepSamples(series: readonly DeviceSeries[], samples: readonly DeviceSample[]): Promise<void> {
  if (samples.length === 0) return;
  const shape = await shapeOf(series);
  const told = sql`told AS MATERIALIZED (
      SELECT t.* FROM jsonb_to_recordset(${JSON.stringify(samples)}::jsonb)
        AS t (project_id uuid, device_id uuid, at timestamptz(3), "values" float8[])
      JOIN devices d ON d.project_id = t.project_id AND d.id = t.device_id FOR KEY SHARE OF d
    )`;
  const store = sql`
    INSERT INTO device_samples (device_id, shape_id, at, project_id, "values", base)
    SELECT told.device_id, ${shape}::int, told.at, told.project_id, told."values", coalesce(reset.base, last.base)
    FROM told
    LEFT JOIN LATERAL (
      SELECT s."values", s.base FROM device_samples s
      WHERE s.device_id = told.device_id AND s.shape_id = ${shape}::int AND s.at < told.at ORDER BY s.at DESC LIMIT 1
    ) AS last ON true
    LEFT JOIN LATERAL (
      SELECT array_agg(coalesce(u.base, 0) + CASE WHEN u.value < u.last AND u.i <> ALL (${gaugesOf(series)}::int[]) THEN u.last ELSE 0 END
        ORDER BY u.i) AS base
      FROM unnest(told."values", last."values", last.base) WITH ORDINALITY AS u (value, last, base, i)
      HAVING bool_or(u.value < u.last AND u.i <> ALL (${gaugesOf(series)}::int[]))
    ) AS reset ON true
    ON CONFLICT DO NOTHING`;
  await execute(
    settings().prometheusUrl === undefined
      ? sql`WITH ${told} ${store}`
      : sql`WITH ${told}, stored AS (${store} RETURNING device_id, shape_id, at) ${queueing('stored')}`,
  );
}

/** Positions of the gauges, starting at 1. */
const gaugesOf = (series: readonly DeviceSeries[]) =>
  series.flatMap(({ type }, index) => (type === 'gauge' ? [index + 1] : []));

const shapes = databaseCache(() => new Map<string, Promise<number>>());

/** The id of a list of series; a new list is recorded. */
function shapeOf(series: readonly DeviceSeries[]): Promise<number> {
  const key = JSON.stringify(series.map(({ name, type, labels }) => ({ name, type, labels })));
  const known = shapes().get(key);
  if (known) return known;
  const recorded = queryRow<{ id: number }>(sql`
    INSERT INTO metric_shapes (key, series, gauges) VALUES (${key}, ${key}::jsonb, ${gaugesOf(series)}::int[])
    ON CONFLICT (key) DO UPDATE SET key = EXCLUDED.key RETURNING id`).then(({ id }) => id);
  shapes().set(key, recorded);
  recorded.catch(() => shapes().delete(key));
  return recorded;
}
