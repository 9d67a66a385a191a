import { query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import type { Metric } from './metric';

/** Seconds between stored samples: raw (15), or rolled up. */
export type Level = 15 | 300 | 3600;

/** The longest gap between two samples with a rate; in a longer one the device was off or not sampled. */
export const LONGEST_GAP_S: Readonly<Record<Level, number>> = { 15: 90, 300: 450, 3600: 5400 };

const HOUR_MS = 3_600_000;

/** The finest level that still has the samples of a time. */
export function levelOf(moment: Date, now: Date): Level {
  const { metricsSampleHours, metricsFiveMinuteDays } = settings();
  const age = now.getTime() - moment.getTime();
  if (age <= metricsSampleHours * HOUR_MS) return 15;
  return age <= metricsFiveMinuteDays * 24 * HOUR_MS ? 300 : 3600;
}

const sample =
  raw(`SELECT project_id, device_id, shape_id, at, "values", base, 1 AS samples, NULL::float8[] AS means, NULL::float8[] AS lows,
  NULL::float8[] AS highs FROM device_samples`);
const rollup = raw(
  'SELECT project_id, device_id, shape_id, at, "values", base, samples, means, lows, highs FROM device_rollups',
);

/**
 * The rows of a level that match a condition on `project_id`, `device_id`, `shape_id` and `at`. Data not rolled up yet
 * comes from the level below.
 */
export function keptRows(level: Level, condition: Sql): Sql {
  if (level === 15) return sql`${sample} WHERE ${condition}`;
  const rolledUp = sql`(SELECT l.until FROM metric_levels l WHERE l.step_s = ${level}::int)`;
  const below = keptRows(level === 300 ? 15 : 300, sql`${condition} AND at > ${rolledUp}`);
  return sql`(${rollup} WHERE ${condition} AND step_s = ${level}::int) UNION ALL (${below})`;
}

/** A series of a device: a position in its samples, starting at 1. */
export type SeriesOfDevice = { device_id: string; shape_id: number; position: number; type: Metric['type'] };

/** The samples of a series in a period, oldest first, adjusted for counter resets. */
export type SeriesPoints = SeriesOfDevice & {
  /** Unix time in milliseconds. */
  at: number[];
  values: number[];
  /** Statistics of the samples behind each point; for a single sample, its own value. */
  rolled: { samples: number[]; means: number[]; lows: number[]; highs: number[] } | null;
};

const wantedRows = (wanted: readonly SeriesOfDevice[]) => sql`
  unnest(${wanted.map(({ device_id }) => device_id)}::uuid[], ${wanted.map(({ shape_id }) => shape_id)}::int[],
    ${wanted.map(({ position }) => position)}::int[]) AS w (device_id, shape_id, position)`;

const within = (projectId: string, wanted: readonly SeriesOfDevice[], from: Date, to: Date) => sql`
  project_id = ${projectId}::uuid AND device_id = ANY (${[...new Set(wanted.map(({ device_id }) => device_id))]}::uuid[])
    AND shape_id = ANY (${[...new Set(wanted.map(({ shape_id }) => shape_id))]}::int[])
    AND at >= ${from}::timestamptz AND at <= ${to}::timestamptz`;

/** Value + base of a counter, which never decreases; the value of a gauge. */
const VALUE = raw('k."values"[w.position] + coalesce(k.base[w.position], 0)');

type PointsRow = Record<'at' | 'values' | 'samples' | 'means' | 'lows' | 'highs', string | null> &
  Omit<SeriesOfDevice, 'type'>;

/** The samples of these series in a period, in one statement. Series without samples are left out. */
export async function readPoints(
  projectId: string,
  wanted: readonly SeriesOfDevice[],
  { from, to, level }: { from: Date; to: Date; level: Level },
): Promise<SeriesPoints[]> {
  if (wanted.length === 0) return [];
  const of = (column: string) =>
    raw(
      level === 15
        ? 'NULL'
        : `array_agg(coalesce(k.${column}[array_position(m.gauges, w.position)], k."values"[w.position]) ORDER BY k.at)::text`,
    );
  const rows = await query<PointsRow>(sql`
    SELECT k.device_id, k.shape_id, w.position, array_agg((extract(epoch FROM k.at) * 1000)::int8 ORDER BY k.at)::text AS at,
      array_agg(${VALUE} ORDER BY k.at)::text AS values,
      ${raw(level === 15 ? 'NULL' : 'array_agg(k.samples ORDER BY k.at)::text')} AS samples,
      ${of('means')} AS means, ${of('lows')} AS lows, ${of('highs')} AS highs
    FROM (${keptRows(level, within(projectId, wanted, from, to))}) AS k
    JOIN ${wantedRows(wanted)} ON w.device_id = k.device_id AND w.shape_id = k.shape_id
    JOIN metric_shapes m ON m.id = k.shape_id GROUP BY k.device_id, k.shape_id, w.position`);
  const types = new Map(wanted.map((series) => [keyOf(series), series.type]));
  return rows.map((row) => ({
    device_id: row.device_id,
    shape_id: row.shape_id,
    position: row.position,
    type: types.get(keyOf(row)) ?? 'gauge',
    at: numbers(row.at),
    values: numbers(row.values),
    rolled:
      row.samples === null
        ? null
        : {
            samples: numbers(row.samples),
            means: numbers(row.means),
            lows: numbers(row.lows),
            highs: numbers(row.highs),
          },
  }));
}

const keyOf = ({ device_id, shape_id, position }: Omit<SeriesOfDevice, 'type'>) =>
  `${device_id} ${shape_id} ${position}`;

/** PostgreSQL's text of an array of numbers. */
function numbers(text: string | null): number[] {
  if (text === null || text === '{}') return [];
  return text.slice(1, -1).split(',').map(Number);
}

/** The value of a series in an interval: a gauge's mean, or a counter's growth per second; null if unknown. */
export type IntervalRow = Omit<SeriesOfDevice, 'type'> & { interval: Date; value: number | null };

/** The intervals of series, each named by its end; an interval without samples has no row. */
export function readIntervals(
  projectId: string,
  wanted: readonly SeriesOfDevice[],
  { from, to, level, interval_s }: { from: Date; to: Date; level: Level; interval_s: number },
): Promise<IntervalRow[]> {
  const before = new Date(from.getTime() - LONGEST_GAP_S[level] * 1000);
  return query<IntervalRow>(sql`
    SELECT d.device_id, d.shape_id, d.position,
      date_bin(${interval_s}::int * interval '1 second', d.at, 'epoch') + ${interval_s}::int * interval '1 second' AS interval,
      CASE WHEN d.is_gauge THEN sum(d.mean * d.samples) / sum(d.samples)
        ELSE (sum(d.growth) FILTER (WHERE d.seconds <= ${LONGEST_GAP_S[level]}::int)
          / sum(d.seconds) FILTER (WHERE d.seconds <= ${LONGEST_GAP_S[level]}::int))::float8 END AS value
    FROM (
      SELECT k.device_id, k.shape_id, w.position, k.at, k.samples, array_position(m.gauges, w.position) IS NOT NULL AS is_gauge,
        coalesce(k.means[array_position(m.gauges, w.position)], k."values"[w.position]) AS mean,
        extract(epoch FROM k.at - lag(k.at) OVER s)::float8 AS seconds,
        CASE WHEN ${VALUE} >= lag(${VALUE}) OVER s THEN ${VALUE} - lag(${VALUE}) OVER s ELSE ${VALUE} END AS growth
      FROM (${keptRows(level, within(projectId, wanted, before, to))}) AS k
      JOIN ${wantedRows(wanted)} ON w.device_id = k.device_id AND w.shape_id = k.shape_id
      JOIN metric_shapes m ON m.id = k.shape_id
      WINDOW s AS (PARTITION BY k.device_id, k.shape_id, w.position ORDER BY k.at)
    ) AS d WHERE d.at > ${from}::timestamptz GROUP BY 1, 2, 3, 4, d.is_gauge ORDER BY 4`);
}

/** A series that some device of a project may have, with the position of its values in samples. */
export type KnownSeries = {
  shape_id: number;
  position: number;
  name: string;
  type: Metric['type'];
  labels: Readonly<Record<string, string>>;
};

/** All series ever reported in any project: names and labels come from domains, never from tenants. */
export function knownSeries(names: readonly string[]): Promise<KnownSeries[]> {
  return query<KnownSeries>(sql`
    SELECT m.id AS shape_id, u.position::int, u.series->>'name' AS name, u.series->>'type' AS type, u.series->'labels' AS labels
    FROM metric_shapes m CROSS JOIN jsonb_array_elements(m.series) WITH ORDINALITY AS u (series, position)
    WHERE u.series->>'name' = ANY (${names}::text[]) ORDER BY 3, 1, 2`);
}

/** Those of the series that have a sample in a span of time. */
export function reportedSeries(
  projectId: string,
  wanted: readonly SeriesOfDevice[],
  { from, to }: { from: Date; to: Date },
): Promise<Pick<SeriesOfDevice, 'device_id' | 'shape_id'>[]> {
  const within = sql`t.project_id = ${projectId}::uuid AND t.device_id = w.device_id AND t.shape_id = w.shape_id
    AND t.at >= ${from}::timestamptz AND t.at <= ${to}::timestamptz`;
  return query(sql`
    SELECT DISTINCT w.device_id, w.shape_id FROM ${wantedRows(wanted)}
    WHERE EXISTS (SELECT FROM device_samples t WHERE ${within}) OR EXISTS (SELECT FROM device_rollups t WHERE ${within})`);
}
