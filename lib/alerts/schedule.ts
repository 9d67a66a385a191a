import { type BudgetFacts, budgetColumns, isFrozen } from '@/lib/budget/state';
import { now } from '@/lib/clock';
import { signalChange } from '@/lib/db/changes';
import { newId } from '@/lib/db/id';
import { query, queryOne } from '@/lib/db/pool';
import { sql } from '@/lib/db/sql';
import { log } from '@/lib/log';
import type { PeriodicJob } from '@/lib/operations/periodic';
import { purge } from '@/lib/operations/purge';
import { Money } from '@/lib/rating/cost';
import { crossingAt, hasReached, type Meter, readMeters, spendAt } from '@/lib/rating/meter';
import { endOf } from '@/lib/rating/month';
import { deliverAlert } from './operations';

const BATCH = 200;

type Due = { project_id: string; version: number };

/**
 * Raises the alerts of budgets whose moment has come, and computes when each is to be looked at next: when its next
 * threshold will be reached, or when the month ends. Done twice, or by two workers, it raises nothing twice.
 * @returns how many alerts came to be
 */
export async function raiseAlerts(signal?: AbortSignal): Promise<number> {
  let raised = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  while (!signal?.aborted) {
    // The version first, what it stands for after it: what changes in between makes the moment computed here void.
    const due = await query<Due>(sql`SELECT project_id, version FROM alert_schedule
      WHERE due_at <= (SELECT platform_now()) AND project_id > ${after}::uuid ORDER BY project_id LIMIT ${BATCH}::int`);
    raised += await look(due);
    const last = due.at(-1);
    if (!last || due.length < BATCH) break;
    after = last.project_id;
  }
  if (raised > 0) signalChange();
  return raised;
}

async function look(due: readonly Due[]): Promise<number> {
  if (due.length === 0) return 0;
  const ids = due.map(({ project_id }) => project_id);
  const budgets = await query<BudgetFacts>(sql`SELECT ${budgetColumns}
    FROM project_accounts a LEFT JOIN budgets b ON b.project_id = a.project_id WHERE a.project_id = ANY (${ids}::uuid[])`);
  const meters = await readMeters(sql`p.id = ANY (${ids}::uuid[])`);
  let raised = 0;
  for (const { project_id, version } of due) {
    const budget = budgets.find((candidate) => candidate.project_id === project_id);
    const meter = meters.get(project_id);
    if (!budget || !meter) continue;
    raised += await raise(budget, meter, version).catch((error) => {
      log.error({ err: error, project: project_id }, 'a budget could not be looked at');
      return 0;
    });
  }
  return raised;
}

/** Each threshold with its amount and moment; 100 % always is one. */
function thresholdsOf({ limit, thresholds }: BudgetFacts, meter: Meter) {
  if (limit === null) return [];
  return [...new Set([...thresholds, 100])].map((threshold) => {
    const amount = new Money(limit).times(threshold).div(100);
    return { threshold, reached: hasReached(meter, amount), at: crossingAt(meter, amount) };
  });
}

/** One statement: alerts that are new, their deliveries and the operations that carry them, and when to look again. */
async function raise(budget: BudgetFacts, meter: Meter, version: number): Promise<number> {
  const { project_id } = budget;
  const thresholds = thresholdsOf(budget, meter);
  const reached = thresholds.filter(({ reached }) => reached);
  const ahead = thresholds.flatMap(({ reached, at }) => (reached || at === null ? [] : [at.getTime()]));
  const due_at = new Date(Math.min(endOf(meter.month).getTime(), ...ahead));
  const at = now();
  const alerts = reached.map((alert) => ({
    id: newId(),
    threshold: alert.threshold,
    crossed_at: alert.at ?? meter.at,
  }));
  const receivers = [
    ...budget.notify_emails.map((target) => ({ channel: 'email', target })),
    ...(budget.webhook_url === null ? [] : [{ channel: 'webhook', target: budget.webhook_url }]),
  ];
  const deliveries = alerts.flatMap(({ id: alert_id }) =>
    receivers.map((receiver) => ({ ...receiver, alert_id, id: newId(), operation_id: newId() })),
  );
  const { kind, resource, stage, deadline_ms } = deliverAlert.start('', {});
  const found = await queryOne<{ raised: number }>(sql`
    WITH alert AS (
      INSERT INTO budget_alerts (id, project_id, month, threshold, limit_usd, spend_usd, frozen, crossed_at, created_at)
      SELECT id, ${project_id}::uuid, ${`${meter.month}-01`}::date, threshold, ${budget.limit}::numeric,
        ${spendAt(meter).toFixed(6)}::numeric, ${isFrozen(budget, meter)}::boolean, crossed_at, ${at}::timestamptz
      FROM jsonb_to_recordset(${JSON.stringify(alerts)}::jsonb) AS new (id uuid, threshold int, crossed_at timestamptz)
      ORDER BY threshold ON CONFLICT (project_id, month, threshold) DO NOTHING RETURNING id),
    wanted AS MATERIALIZED (
      SELECT new.* FROM jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb)
        AS new (id uuid, alert_id uuid, operation_id uuid, channel text, target text) JOIN alert ON alert.id = new.alert_id),
    sent AS (
      INSERT INTO alert_deliveries (id, project_id, alert_id, channel, target, status, next_attempt_at, created_at, updated_at)
      SELECT id, ${project_id}::uuid, alert_id, channel, target, 'pending', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz FROM wanted),
    ordered AS (
      INSERT INTO operations (id, project_id, kind, resource_type, resource_id, stage, status, input, attempts, run_at, deadline_at, created_at, updated_at)
      SELECT operation_id, ${project_id}::uuid, ${kind}::text, ${resource.type}::text, id, ${stage}::text, 'pending', '{}', 0, platform_now(),
        platform_now() + ${deadline_ms}::float8 * interval '1 millisecond', ${at}::timestamptz, ${at}::timestamptz FROM wanted),
    hinted AS (
      INSERT INTO changes (project_id, topic, resource_id, at)
      SELECT ${project_id}::uuid, 'alert_delivery', ${project_id}::text, ${at}::timestamptz FROM alert LIMIT 1),
    scheduled AS (
      UPDATE alert_schedule SET due_at = ${due_at}::timestamptz
      WHERE project_id = ${project_id}::uuid AND version = ${version}::int)
    SELECT count(*)::int AS raised FROM alert`);
  return found?.raised ?? 0;
}

export const alertJobs: readonly PeriodicJob[] = [
  {
    name: 'raise budget alerts',
    // Due at every look of the workers, which is once a second.
    every_ms: 500,
    async run(signal) {
      await raiseAlerts(signal);
    },
  },
  purge('alert_deliveries', 60 * 60_000, "created_at < (SELECT platform_now()) - interval '400 days'"),
];
