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

type Read = { devices: readonly string[]; series: readonly Pick<SeriesOfDevice, 'shape_id'>[] };

const within = (projectId: string, { devices, series }: Read, from: Date, to: Date) => sql`
  project_id = ${projectId}::uuid AND device_id = ANY (${[...new Set(devices)]}::uuid[])
    AND shape_id = ANY (${[...new Set(series.map(({ shape_id }) => shape_id))]}::int[])
    AND at >= ${from}::timestamptz AND at <= ${to}::timestamptz`;

/** Value + base of a counter, which never decreases; the value of a gauge. */
const VALUE = raw('(k."values"[w.position] + coalesce(k.base[w.position], 0))');
/** The same of the sample before. */
const LAST = raw('(k.last_values[w.position] + coalesce(k.last_base[w.position], 0))');

type PointsRow = Record<'at' | 'values' | 'samples' | 'means' | 'lows' | 'highs', string | null> &
  Omit<SeriesOfDevice, 'type'>;

/** The samples of these series in a period, in one statement. Series without samples are left out. */
export async function readPoints(
  projectId: string,
  wanted: readonly SeriesOfDevice[],
  { from, to, level }: { from: Date; to: Date; level: Level },
): Promise<SeriesPoints[]> {
  if (wanted.length === 0) return [];
  const read = { devices: wanted.map(({ device_id }) => device_id), series: wanted };
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
    FROM (${keptRows(level, within(projectId, read, from, to))}) AS k
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

/** A series of devices of one shape, and the number of the part of a chart that it belongs to. */
export type PartSeries = Omit<SeriesOfDevice, 'device_id' | 'type'> & { part: number };

/** Devices, and the series of them that are read. */
export type Wanted = { devices: readonly string[]; series: readonly PartSeries[] };

/** Intervals of a period, and the samples that they are read from. */
export type Intervals = { from: Date; to: Date; level: Level; interval_s: number };

/** The end of each interval, in milliseconds. */
export function endsOf({ from, to, interval_s }: Intervals): number[] {
  const step_ms = interval_s * 1000;
  return Array.from(
    { length: (to.getTime() - from.getTime()) / step_ms },
    (_, index) => from.getTime() + (index + 1) * step_ms,
  );
}

/** The value of a part in an interval: a gauge's mean, or a counter's growth per second; null if unknown. */
export type IntervalRow = { device_id: string; part: number; interval: Date; value: number | null };

/** Intervals, each named by its end, which belongs to it; an interval without samples has no row. */
export function readIntervals(projectId: string, wanted: Wanted, span: Intervals): Promise<IntervalRow[]> {
  return query<IntervalRow>(sql`${intervalRows(projectId, wanted, span)} ORDER BY 3`);
}

/** The sum of a part over all devices in an interval, or the mean of a device over all intervals. */
export type TotalRow = { part: number; value: number } & (
  | { interval: Date; device_id: null }
  | { interval: null; device_id: string }
);

/**
 * Sums and means of parts, in one pass. An interval without samples has no row. Intervals as long as a roll-up are those
 * of the roll-up, without data that is not rolled up yet.
 */
export function readTotals(projectId: string, wanted: Wanted, span: Intervals): Promise<TotalRow[]> {
  if (span.interval_s === span.level) return rolledUpTotals(projectId, wanted, span);
  return query<TotalRow>(sql`
    SELECT part, interval, device_id, CASE WHEN grouping(device_id) = 1 THEN sum(value) ELSE avg(value) END AS value
    FROM (${intervalRows(projectId, wanted, span)}) AS i WHERE value IS NOT NULL
    GROUP BY GROUPING SETS ((part, interval), (part, device_id)) ORDER BY interval, part, device_id`);
}

type PartTotals = { values: (number | null)[] } & (
  | { interval: Date; device_id: null }
  | { interval: null; device_id: string }
);

/** Every roll-up is an interval already. The parts are columns: a row for each would take three times as long. */
async function rolledUpTotals(projectId: string, wanted: Wanted, span: Intervals): Promise<TotalRow[]> {
  const parts = [...new Set(wanted.series.map(({ part }) => part))];
  if (parts.length === 0) return [];
  const shapes = await query<{ id: number; gauges: number[] }>(
    sql`SELECT id, gauges FROM metric_shapes WHERE id = ANY (${wanted.series.map(({ shape_id }) => shape_id)}::int[])`,
  );
  const gauges = new Map(shapes.map((shape) => [shape.id, shape.gauges]));
  const columns = parts.map((part) => {
    const cases = wanted.series
      .filter((series) => series.part === part)
      .map(({ shape_id, position }) => {
        const gauge = (gauges.get(shape_id) ?? []).indexOf(position) + 1;
        return `WHEN ${shape_id} THEN ${gauge > 0 ? meanOf(position, gauge) : rateOf(position, span)}`;
      });
    return `CASE k.shape_id ${cases.join(' ')} END AS part_${part}`;
  });
  const totals = parts.map(
    (part) => `CASE WHEN grouping(device_id) = 1 THEN sum(part_${part}) ELSE avg(part_${part}) END`,
  );
  const step = sql`${span.interval_s}::int * interval '1 second'`;
  const rows = sql`${rollup} WHERE ${beforeAndWithin(projectId, wanted, span)} AND step_s = ${span.level}::int`;
  const found = await query<PartTotals>(sql`
    SELECT interval, device_id, ARRAY[${raw(totals.join(', '))}] AS values
    FROM (
      SELECT device_id, date_bin(${step}, at - interval '1 millisecond', 'epoch') + ${step} AS interval, ${raw(columns.join(', '))}
      FROM (${withLast(rows)}) AS k WHERE k.at > ${span.from}::timestamptz
    ) AS i GROUP BY GROUPING SETS ((interval), (device_id)) ORDER BY interval, device_id`);
  return found.flatMap(({ values, ...of }) =>
    values.flatMap((value, index): TotalRow[] => {
      const part = parts[index];
      return value === null || part === undefined ? [] : [{ part, value, ...of }];
    }),
  );
}

const meanOf = (position: number, gauge: number) => `coalesce(k.means[${gauge}], k."values"[${position}])`;

/** The growth of a counter per second since the row before, unless that is too long ago. */
function rateOf(position: number, { level }: Intervals): string {
  const value = `(k."values"[${position}] + coalesce(k.base[${position}], 0))`;
  const last = `(k.last_values[${position}] + coalesce(k.last_base[${position}], 0))`;
  const growth = `CASE WHEN ${value} >= ${last} THEN ${value} - ${last} ELSE ${value} END`;
  return `CASE WHEN k.seconds <= ${LONGEST_GAP_S[level]} THEN ${growth} / k.seconds END`;
}

function intervalRows(projectId: string, wanted: Wanted, span: Intervals): Sql {
  const step = sql`${span.interval_s}::int * interval '1 second'`;
  return sql`
    SELECT device_id, part, date_bin(${step}, at - interval '1 millisecond', 'epoch') + ${step} AS interval,
      CASE WHEN is_gauge THEN sum(mean * samples) / sum(samples) ELSE sum(growth) / sum(seconds) END AS value
    FROM (${changes(wanted, span, keptRows(span.level, beforeAndWithin(projectId, wanted, span)))}) AS d GROUP BY 1, 2, 3, is_gauge`;
}

/** The first growth of a period needs the sample before it. */
function beforeAndWithin(projectId: string, wanted: Wanted, { from, to, level }: Intervals): Sql {
  return within(projectId, wanted, new Date(from.getTime() - LONGEST_GAP_S[level] * 1000), to);
}

/**
 * For each sample and part: the mean of a gauge, or the growth of a counter since the sample before. PostgreSQL knows the number
 * of parts, so it reads the samples once: it would misjudge a join with `metric_shapes`, and read them once for each part.
 */
function changes({ series }: Wanted, { from, level }: Intervals, rows: Sql): Sql {
  const gap = sql`${LONGEST_GAP_S[level]}::int`;
  return sql`
    SELECT k.device_id, w.part, k.at, k.samples, w.gauge IS NOT NULL AS is_gauge,
      coalesce(k.means[w.gauge], k."values"[w.position]) AS mean, CASE WHEN k.seconds <= ${gap} THEN k.seconds END AS seconds,
      CASE WHEN k.seconds <= ${gap} THEN CASE WHEN ${VALUE} >= ${LAST} THEN ${VALUE} - ${LAST} ELSE ${VALUE} END END AS growth
    FROM (${withLast(rows)}) AS k
    JOIN (
      SELECT w.*, array_position((SELECT m.gauges FROM metric_shapes m WHERE m.id = w.shape_id), w.position) AS gauge
      FROM unnest(${series.map(({ shape_id }) => shape_id)}::int[], ${series.map(({ position }) => position)}::int[],
        ${series.map(({ part }) => part)}::int[]) AS w (shape_id, position, part) OFFSET 0
    ) AS w ON w.shape_id = k.shape_id
    WHERE k.at > ${from}::timestamptz`;
}

/** Each row with the one before it. */
const withLast = (rows: Sql) => sql`
  SELECT r.*, lag(r."values") OVER s AS last_values, lag(r.base) OVER s AS last_base,
    extract(epoch FROM r.at - lag(r.at) OVER s)::float8 AS seconds
  FROM (${rows}) AS r WINDOW s AS (PARTITION BY r.device_id, r.shape_id ORDER BY r.at)`;

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
