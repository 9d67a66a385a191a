import { execute, queryRow } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purge } from '@/lib/core/operations/purge';
import type { Metric } from './metrics';

/** A billable event, priced by count. */
export type UsageEvent = {
  /** Unique to this event, however often it is recorded: `egress:<device>:<counter>:<moment>`. */
  key: string;
  project_id: string;
  metric: Metric;
  resource_type: string;
  resource_id: string;
  resource_name: string;
  /** A positive integer in the metric's unit: bytes, calls, tokens. */
  quantity: bigint | number;
  occurred_at: Date;
};

/**
 * Inserts events as part of a larger write. Events recorded before are skipped.
 * @param from the FROM clause: rows with the fields of `UsageEvent`
 */
export const usageEventsInsert = (from: Sql): Sql => sql`
  INSERT INTO usage_events (key, project_id, metric, resource_type, resource_id, resource_name, quantity, occurred_at, recorded_at)
  SELECT key, project_id, metric, resource_type, resource_id, resource_name, quantity, least(occurred_at, platform_now()), platform_now()
  FROM ${from} WHERE quantity > 0 ON CONFLICT (key) DO NOTHING`;

/** Records events without locking the project's account; they appear in its spend within a second. */
export async function recordUsage(events: readonly UsageEvent[]): Promise<void> {
  const rows = JSON.stringify(events.map((event) => ({ ...event, quantity: String(event.quantity) })));
  await execute(usageEventsInsert(sql`jsonb_populate_recordset(NULL::usage_events, ${rows}::jsonb)`));
}

const BATCH = 2000;

/** Folds recorded events into daily counts and accruals. @returns the number of events */
export async function foldUsage(): Promise<number> {
  const { n } = await queryRow<{ n: number }>(sql`SELECT fold_usage(${BATCH}::int) AS n`);
  return n < BATCH ? n : n + (await foldUsage());
}

export const meteringJobs: readonly PeriodicJob[] = [
  {
    name: 'fold usage',
    // Due whenever the workers check, which is once a second.
    every_ms: 500,
    async run() {
      await foldUsage();
    },
  },
  // Already counted; the key is kept for as long as the event could be recorded again.
  purge('usage_events', 10 * 60_000, "folded AND recorded_at < (SELECT platform_now()) - interval '40 days'"),
];
