import { query } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purge } from '@/lib/core/operations/purge';
import { settings } from '@/lib/settings';

const MINUTE_MS = 60_000;
/** Intervals of one statement: even after days without a worker, none takes long. */
const INTERVALS = 12;

/**
 * The source of intervals of `step_s`: rows until the time `complete`, each with at least one sample. `moment` is the
 * time of a row, and `last` joins the row of a time. `rows` and `last` end in a condition that can be extended.
 */
type Source = { step_s: number; complete: Sql; rows: Sql; moment: Sql; last: Sql };

/** Samples arrive within seconds. One that is a minute late is stored, but not rolled up. */
const samples: Source = {
  step_s: 300,
  complete: raw("platform_now() - interval '60 seconds'"),
  moment: raw('s.at'),
  last: raw('device_samples AS last ON last.at = n.moment AND'),
  rows: raw(`SELECT s.device_id, s.shape_id, s.project_id, 1 AS samples, g.lows AS means, g.lows, g.lows AS highs,
      s.at AS moment
    FROM device_samples s JOIN metric_shapes m ON m.id = s.shape_id CROSS JOIN LATERAL (
      SELECT array_agg(s."values"[u.position] ORDER BY u.i) AS lows FROM unnest(m.gauges) WITH ORDINALITY AS u (position, i)
    ) AS g WHERE true`),
};

const fiveMinutes: Source = {
  step_s: 3600,
  complete: raw('(SELECT until FROM metric_levels WHERE step_s = 300)'),
  moment: raw('s.until'),
  last: raw('device_rollups AS last ON last.step_s = 300 AND last.until = n.moment AND'),
  rows: raw(`SELECT s.device_id, s.shape_id, s.project_id, s.samples, s.means, s.lows, s.highs, s.until AS moment
    FROM device_rollups s WHERE s.step_s = 300`),
};

function rollUp({ step_s, complete, rows, moment, last }: Source): Sql {
  const step = sql`${step_s}::int * interval '1 second'`;
  return sql`
    WITH level AS MATERIALIZED (SELECT until FROM metric_levels WHERE step_s = ${step_s}::int FOR UPDATE),
    span AS MATERIALIZED (
      SELECT until AS first, least(until + ${INTERVALS}::int * ${step}, date_bin(${step}, ${complete}, 'epoch')) AS last FROM level
    ),
    moved AS (
      UPDATE metric_levels SET until = span.last FROM span WHERE step_s = ${step_s}::int AND span.last > span.first RETURNING span.last
    ),
    told AS MATERIALIZED (
      SELECT r.*, date_bin(${step}, r.moment - interval '1 millisecond', 'epoch') + ${step} AS until
      FROM (${rows} AND ${moment} > (SELECT first FROM span) AND ${moment} <= (SELECT last FROM span)) AS r
    ),
    intervals AS MATERIALIZED (
      SELECT project_id, device_id, shape_id, until, max(moment) AS moment, max(samples) AS samples,
        array_agg(mean ORDER BY i) FILTER (WHERE i IS NOT NULL) AS means, array_agg(low ORDER BY i) FILTER (WHERE i IS NOT NULL) AS lows,
        array_agg(high ORDER BY i) FILTER (WHERE i IS NOT NULL) AS highs
      FROM (
        SELECT told.project_id, told.device_id, told.shape_id, told.until, u.i, max(told.moment) AS moment, sum(told.samples) AS samples,
          sum(u.mean * told.samples) / sum(told.samples) AS mean, min(u.low) AS low, max(u.high) AS high
        FROM told LEFT JOIN LATERAL unnest(told.means, told.lows, told.highs) WITH ORDINALITY AS u (mean, low, high, i) ON true
        GROUP BY 1, 2, 3, 4, 5
      ) AS gauges GROUP BY 1, 2, 3, 4
    ),
    rolled AS (
      INSERT INTO device_rollups (device_id, shape_id, step_s, until, project_id, at, "values", base, samples, means, lows, highs)
      SELECT n.device_id, n.shape_id, ${step_s}::int, n.until, n.project_id, last.at, last."values", last.base, n.samples, n.means,
        n.lows, n.highs
      FROM intervals n JOIN devices d ON d.project_id = n.project_id AND d.id = n.device_id
      JOIN ${last} last.device_id = n.device_id AND last.shape_id = n.shape_id FOR KEY SHARE OF d
      ON CONFLICT DO NOTHING
    )
    SELECT last FROM moved`;
}

/**
 * Rolls up samples to 5 minutes, and those to an hour. A roll-up and its progress are one statement: if a worker dies,
 * both stay unchanged, and the next worker continues.
 */
export const rollUpJob: PeriodicJob = {
  name: 'roll up metrics',
  every_ms: MINUTE_MS,
  async run(signal) {
    for (const source of [samples, fiveMinutes]) {
      while (!signal.aborted && (await query(rollUp(source))).length > 0);
    }
  },
};

/** Purges only data that has been rolled up, however old it is. */
export const metricPurges: readonly PeriodicJob[] = [
  expiring('device_samples', samplesExpired),
  // A key without its sample cannot be sent.
  expiring('sample_pushes', samplesExpired),
  expiring('device_rollups', () => {
    const { metricsFiveMinuteDays, metricsHourDays } = settings();
    return `(step_s = 300 AND until < (SELECT least(platform_now() - interval '${metricsFiveMinuteDays} days', l.until)
        FROM metric_levels l WHERE l.step_s = 3600))
      OR (step_s = 3600 AND until < (SELECT platform_now() - interval '${metricsHourDays} days'))`;
  }),
];

function samplesExpired(): string {
  const hours = settings().metricsSampleHours;
  return `at < (SELECT least(platform_now() - interval '${hours} hours', l.until) FROM metric_levels l WHERE l.step_s = 300)`;
}

/** Settings are read when the job runs. */
function expiring(table: string, expired: () => string): PeriodicJob {
  const { name, every_ms } = purge(table, 10 * MINUTE_MS, '');
  return { name, every_ms, run: (signal) => purge(table, every_ms, expired()).run(signal) };
}
