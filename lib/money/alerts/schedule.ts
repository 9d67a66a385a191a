import { now } from '@/lib/clock';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { operationsInsert } from '@/lib/core/operations/enqueue';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purge } from '@/lib/core/operations/purge';
import { log } from '@/lib/log';
import { type BudgetFacts, budgetColumns, isFrozen } from '@/lib/money/budget/state';
import { Money } from '@/lib/money/rating/cost';
import { metersAtEndOf } from '@/lib/money/rating/ended-month';
import { crossingAt, hasReached, type Meter, readMeters, spendAt } from '@/lib/money/rating/meter';
import { endOf, type Month, monthAfter, startOf } from '@/lib/money/rating/month';
import { deliverAlert } from './operations';

const BATCH = 200;

type Due = { project_id: string; version: number; month: Month };

/**
 * Raises due budget alerts and schedules the next check of each budget: when its next threshold will be reached, or
 * when the month ends. Months that ended since the last check come first, each with its full spend. Repeated or
 * concurrent runs raise no alert twice.
 * @returns the number of raised alerts
 */
export async function raiseAlerts(signal?: AbortSignal): Promise<number> {
  let raised = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  while (!signal?.aborted) {
    // Reads the version before the facts that it covers: any change in between invalidates the time computed here.
    const due = await query<Due>(sql`SELECT project_id, version, to_char(month, 'YYYY-MM') AS month FROM alert_schedule
      WHERE due_at <= (SELECT platform_now()) AND project_id > ${after}::uuid ORDER BY project_id LIMIT ${BATCH}::int`);
    if (due.length > 0) raised += await look(due);
    const last = due.at(-1);
    if (!last || due.length < BATCH) break;
    after = last.project_id;
  }
  if (raised > 0) signalChange();
  return raised;
}

async function look(due: readonly Due[]): Promise<number> {
  const ids = due.map(({ project_id }) => project_id);
  const meters = await readMeters(sql`p.id = ANY (${ids}::uuid[])`);
  const [running] = [...meters.values()].map(({ month }) => month);
  const [earliest] = due.map(({ month }) => month).sort();
  if (running === undefined || earliest === undefined) return 0;
  const failed = new Set<string>();
  let raised = 0;
  for (let month = earliest; month < running; month = monthAfter(month)) {
    const waiting = due.filter((one) => one.month <= month).map(({ project_id }) => project_id);
    raised += await raiseIn(await budgetsIn(month, waiting), await metersAtEndOf(month, waiting), failed);
  }
  const budgets = await budgetsIn(running, ids);
  raised += await raiseIn(budgets, meters, failed);
  await schedule(
    due.filter(({ project_id }) => !failed.has(project_id)),
    budgets,
    meters,
  );
  return raised;
}

/** A budget as it applies to a month. */
type MonthBudget = BudgetFacts & {
  /** The spend when the limit was raised in this month; null: it was not raised. */
  spend_at_raise: string | null;
};

/** The budgets of these projects with the limit of the month, or the one at its end. An ended month freezes nothing. */
async function budgetsIn(month: Month, ids: readonly string[]): Promise<MonthBudget[]> {
  type Row = BudgetFacts & { limit_then: string | null; spend_at_raise: string | null; ended: boolean };
  const [begins, ends] = [startOf(month), endOf(month)];
  const rows = await query<Row>(sql`SELECT ${budgetColumns}, trim_scale(l.limit_usd) AS limit_then,
      CASE WHEN l.raised AND l.since >= ${begins}::timestamptz THEN l.spend_usd END AS spend_at_raise,
      month_of(platform_now()) > ${`${month}-01`}::date AS ended
    FROM project_accounts a LEFT JOIN budgets b ON b.project_id = a.project_id
    LEFT JOIN LATERAL (SELECT limit_usd, raised, spend_usd, since FROM budget_limits
      WHERE project_id = a.project_id AND since < ${ends}::timestamptz ORDER BY since DESC, id DESC LIMIT 1) AS l ON true
    WHERE a.project_id = ANY (${ids}::uuid[])`);
  return rows.map(({ limit_then, ended, ...facts }) => ({
    ...facts,
    limit: limit_then,
    freezes: facts.freezes && !ended,
  }));
}

/**
 * Raises alerts for thresholds that are reached and not yet sent. A failing project does not delay others and is
 * checked again.
 */
async function raiseIn(
  budgets: readonly MonthBudget[],
  meters: ReadonlyMap<string, Meter>,
  failed: Set<string>,
): Promise<number> {
  let raised = 0;
  for (const budget of budgets) {
    const { project_id } = budget;
    const meter = meters.get(project_id);
    if (!meter) continue;
    raised += await raise(budget, meter).catch((error) => {
      log.error({ err: error, project: project_id }, 'checking a budget failed');
      failed.add(project_id);
      return 0;
    });
  }
  return raised;
}

/** Each threshold with its amount and moment; 100 % is always included. */
function thresholdsOf({ limit, thresholds }: BudgetFacts, meter: Meter) {
  if (limit === null) return [];
  return [...new Set([...thresholds, 100])].map((threshold) => {
    const amount = new Money(limit).times(threshold).div(100);
    return { threshold, amount, reached: hasReached(meter, amount), at: crossingAt(meter, amount) };
  });
}

/** One statement: new alerts, their deliveries and the operations that send them. */
async function raise(budget: MonthBudget, meter: Meter): Promise<number> {
  const { project_id, spend_at_raise } = budget;
  const last = endOf(meter.month).getTime() - 1;
  const alerts = thresholdsOf(budget, meter)
    .filter(({ reached }) => reached)
    .map(({ threshold, amount, at }) => ({
      id: newId(),
      threshold,
      crossed_at: new Date(Math.min((at ?? meter.at).getTime(), last)),
      // The limit was raised past this threshold: alert only if a lower limit has not done so.
      passed_before: spend_at_raise !== null && amount.lte(spend_at_raise),
    }));
  if (alerts.length === 0) return 0;
  const at = now();
  const receivers = [
    ...budget.notify_emails.map((target) => ({ channel: 'email', target })),
    ...(budget.webhook_url === null ? [] : [{ channel: 'webhook', target: budget.webhook_url }]),
  ];
  const deliveries = alerts.flatMap(({ id: alert_id }) =>
    receivers.map((receiver) => ({ ...receiver, alert_id, id: newId(), operation_id: newId() })),
  );
  const month = sql`${`${meter.month}-01`}::date`;
  const found = await queryOne<{ raised: number }>(sql`
    WITH alert AS (
      INSERT INTO budget_alerts (id, project_id, month, threshold, limit_usd, spend_usd, frozen, crossed_at, created_at)
      SELECT id, ${project_id}::uuid, ${month}, threshold, ${budget.limit}::numeric,
        ${spendAt(meter).toFixed(6)}::numeric, ${isFrozen(budget, meter)}::boolean, crossed_at, ${at}::timestamptz
      FROM jsonb_to_recordset(${JSON.stringify(alerts)}::jsonb) AS new (id uuid, threshold int, crossed_at timestamptz, passed_before boolean)
      WHERE NOT (passed_before AND EXISTS (SELECT FROM budget_alerts told
        WHERE told.project_id = ${project_id}::uuid AND told.month = ${month} AND told.threshold = new.threshold))
      ORDER BY threshold ON CONFLICT (project_id, month, limit_usd, threshold) DO NOTHING RETURNING id),
    wanted AS MATERIALIZED (
      SELECT new.* FROM jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb)
        AS new (id uuid, alert_id uuid, operation_id uuid, channel text, target text) JOIN alert ON alert.id = new.alert_id),
    sent AS (
      INSERT INTO alert_deliveries (id, project_id, alert_id, channel, target, status, next_attempt_at, created_at, updated_at)
      SELECT id, ${project_id}::uuid, alert_id, channel, target, 'pending', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz FROM wanted),
    ordered AS (
      ${operationsInsert(at, deliverAlert.start('', {}), { id: raw('operation_id'), project_id, resource_id: raw('id') }, raw('wanted'))}),
    hinted AS (
      ${hintInsert({ project_id, topic: 'alert_delivery', resource_id: project_id, at }, raw('alert LIMIT 1'))})
    SELECT count(*)::int AS raised FROM alert`);
  return found?.raised ?? 0;
}

/**
 * Schedules the next checks. Ended months are recorded as done only here, so that a crash leaves them to the next
 * check.
 */
async function schedule(
  due: readonly Due[],
  budgets: readonly MonthBudget[],
  meters: ReadonlyMap<string, Meter>,
): Promise<void> {
  const next = due.flatMap(({ project_id, version }) => {
    const budget = budgets.find((candidate) => candidate.project_id === project_id);
    const meter = meters.get(project_id);
    if (!budget || !meter) return [];
    const ahead = thresholdsOf(budget, meter).flatMap(({ reached, at }) => (reached || !at ? [] : [at.getTime()]));
    const due_at = new Date(Math.min(endOf(meter.month).getTime(), ...ahead));
    return [{ project_id, version, due_at, month: `${meter.month}-01` }];
  });
  await execute(sql`UPDATE alert_schedule s SET due_at = next.due_at, month = next.month
    FROM jsonb_to_recordset(${JSON.stringify(next)}::jsonb) AS next (project_id uuid, version int, due_at timestamptz, month date)
    WHERE s.project_id = next.project_id AND s.version = next.version`);
}

export const alertJobs: readonly PeriodicJob[] = [
  {
    name: 'raise budget alerts',
    // Due whenever the workers check, which is once a second.
    every_ms: 500,
    async run(signal) {
      await raiseAlerts(signal);
    },
  },
  purge('alert_deliveries', 60 * 60_000, "created_at < (SELECT platform_now()) - interval '400 days'"),
];
