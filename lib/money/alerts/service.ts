import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, conflict } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { equals, listOf, ofProject } from '@/lib/core/api/list';
import { newId } from '@/lib/core/db/id';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { operationInsert } from '@/lib/core/operations/enqueue';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { readBudgetFacts } from '@/lib/money/budget/state';
import { deliverAlert } from './operations';
import { type Delivery, deliveryQuery } from './schema';

type Row = Omit<Delivery, 'alert' | 'next_attempt_at' | 'delivered_at' | 'created_at'> & {
  alert_id: string | null;
  month: string;
  threshold: number;
  limit_usd: string;
  spend_usd: string;
  frozen: boolean;
  crossed_at: Date;
  next_attempt_at: Date | null;
  delivered_at: Date | null;
  created_at: Date;
};

const columns =
  raw(`d.id, d.channel, d.target, d.status, d.attempts, d.response_status, d.error, d.next_attempt_at, d.delivered_at,
  d.created_at, a.id AS alert_id, to_char(a.month, 'YYYY-MM') AS month, a.threshold, a.limit_usd, a.spend_usd, a.frozen, a.crossed_at`);

function view(row: Row): Sendable<Delivery> {
  const alert = row.alert_id === null ? null : { ...row, id: row.alert_id };
  return {
    id: row.id,
    alert: alert && {
      id: alert.id,
      month: alert.month,
      threshold_percent: alert.threshold,
      limit_usd: JsonNumber.money(alert.limit_usd),
      spend_usd: JsonNumber.money(alert.spend_usd),
      frozen: alert.frozen,
      crossed_at: alert.crossed_at.toISOString(),
    },
    channel: row.channel,
    target: row.target,
    status: row.status,
    attempts: row.attempts,
    response_status: row.response_status,
    error: row.error,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/** Deliveries of alerts and tests with their results, newest first. */
export const listDeliveries = listOf({
  query: deliveryQuery,
  columns,
  from: raw('alert_deliveries d LEFT JOIN budget_alerts a ON a.id = d.alert_id'),
  id: 'd.id',
  where: ofProject('d'),
  filters: { status: equals('d.status'), channel: equals('d.channel') },
  view,
});

/** Anybody's address can be entered for alerts, so tests are limited. */
const TESTS = 5;
const LATELY = '10 minutes';

/**
 * Sends a test message to all recipients of the budget's alerts.
 * @throws ApiError 409 without recipients, 429 after too many tests in a short time
 */
export async function testAlerts(call: ProjectCall): Promise<Sendable<Delivery>[]> {
  const { project_id, at } = call;
  const budget = await readBudgetFacts(project_id);
  const receivers = [
    ...(budget?.notify_emails ?? []).map((target) => ({ channel: 'email' as const, target })),
    ...(budget?.webhook_url ? [{ channel: 'webhook' as const, target: budget.webhook_url }] : []),
  ];
  if (receivers.length === 0) {
    throw conflict('The budget has no recipients: set notify_emails or webhook_url first.');
  }
  const created = receivers.map((receiver) => ({ id: newId(), ...receiver }));
  const answer: Sendable<Delivery>[] = created.map((delivery) => ({
    ...delivery,
    alert: null,
    status: 'pending',
    attempts: 0,
    response_status: null,
    error: null,
    next_attempt_at: at.toISOString(),
    delivered_at: null,
    created_at: at.toISOString(),
  }));
  const orders = created.map(({ id }, position): [string, Sql] => [
    `order_${position}`,
    operationInsert(call, deliverAlert.start(id, {}), project_id, ifAdmitted),
  ]);
  await commit(call, {
    resource: { type: 'budget', id: project_id },
    topic: 'alert_delivery',
    locks: true,
    target: sql`SELECT alert_tests(k.project_id, ${LATELY}::interval) < ${TESTS}::int AS allowed, NULL::text AS state FROM k`,
    forbidden: () =>
      new ApiError('RATE_LIMITED', `${TESTS} tests in ${LATELY} is the limit. Try again later.`, {
        headers: { 'Retry-After': '600' },
      }),
    rows: {
      deliveries: sql`INSERT INTO alert_deliveries (id, project_id, channel, target, status, next_attempt_at, created_at, updated_at)
        SELECT new.id, ${project_id}::uuid, new.channel, new.target, 'pending', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
        FROM verdict CROSS JOIN jsonb_to_recordset(${JSON.stringify(created)}::jsonb) AS new (id uuid, channel text, target text)
        WHERE verdict.ok`,
      ...Object.fromEntries(orders),
    },
    details: { receivers: created.length },
    answer: { status: 202, body: answer },
  });
  return answer;
}
