import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { MailError, sendMail } from '@/lib/core/mail/send';
import { checkedFetch, OutgoingError } from '@/lib/core/net/checked-fetch';
import { again, done, platformOperationSteps } from '@/lib/core/operations/steps';
import { type AlertFacts, mailText, type Notice, webhookBody } from './message';
import { deliverAlert, RETRY_AFTER_MS } from './operations';
import { signedHeaders } from './signing';

type Delivery = Notice & {
  id: string;
  channel: 'email' | 'webhook';
  target: string;
  status: string;
  attempts: number;
};

type Attempt =
  | { delivered: true; response_status: number | null }
  | { delivered: false; response_status: number | null; error: string; final: boolean };

async function readDelivery(id: string): Promise<Delivery | undefined> {
  type Row = Omit<Delivery, 'project' | 'alert'> & { project_id: string; name: string; slug: string } & (
      | ({ alert_id: string } & Omit<AlertFacts, 'id'>)
      | { alert_id: null }
    );
  const row = await queryOne<Row>(sql`
    SELECT d.id, d.project_id, d.channel, d.target, d.status, d.attempts, d.created_at, p.name, p.slug, a.id AS alert_id,
      to_char(a.month, 'YYYY-MM') AS month, a.threshold, trim_scale(a.limit_usd) AS limit_usd, trim_scale(a.spend_usd) AS spend_usd,
      a.frozen, a.crossed_at
    FROM alert_deliveries d JOIN projects p ON p.id = d.project_id LEFT JOIN budget_alerts a ON a.id = d.alert_id
    WHERE d.id = ${id}::uuid`);
  if (!row) return undefined;
  const { project_id, name, slug } = row;
  const alert = row.alert_id === null ? null : { ...row, id: row.alert_id };
  return { ...row, project: { id: project_id, name, slug }, alert };
}

async function attempt(delivery: Delivery, signal: AbortSignal): Promise<Attempt> {
  return delivery.channel === 'email' ? mail(delivery) : callWebhook(delivery, signal);
}

async function mail(delivery: Delivery): Promise<Attempt> {
  try {
    await sendMail({ id: delivery.id, to: delivery.target, ...mailText(delivery) });
    return { delivered: true, response_status: null };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { delivered: false, response_status: null, error: error.message, final: error.final };
  }
}

/** Checks the address on every attempt, because DNS may have changed since the last one. */
async function callWebhook({ id, project, target, ...notice }: Delivery, signal: AbortSignal): Promise<Attempt> {
  const body = webhookBody({ project, ...notice });
  const headers = { 'Content-Type': 'application/json', ...(await signedHeaders(project.id, id, body)) };
  try {
    const { status } = await checkedFetch(target, { method: 'POST', headers, body, signal, timeout_ms: 10_000 });
    if (status >= 200 && status < 300) return { delivered: true, response_status: status };
    const error = `The server answered ${status}${status >= 300 && status < 400 ? '; redirects are not followed' : ''}.`;
    // 410 means that the receiver is permanently gone.
    return { delivered: false, response_status: status, error, final: status === 410 };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { delivered: false, response_status: null, error: error.message, final: false };
  }
}

const record = (id: string, change: Sql) => ({
  delivery: sql`UPDATE alert_deliveries SET ${change}, updated_at = platform_now()
    FROM verdict WHERE verdict.ok AND alert_deliveries.id = ${id}::uuid AND status = 'pending'`,
});
const ended = sql`next_attempt_at = NULL`;

/** The worker's steps. If a worker dies before it records an attempt, the attempt is repeated under the same id. */
export const deliverySteps = platformOperationSteps(
  deliverAlert,
  {
    async deliver({ operation, signal }) {
      const delivery = await readDelivery(operation.resource_id);
      if (delivery?.status !== 'pending') return done();
      const { id, attempts } = delivery;
      const result = await attempt(delivery, signal);
      if (result.delivered) {
        const rows = record(
          id,
          sql`status = 'delivered', attempts = attempts + 1, response_status = ${result.response_status}::int, error = NULL,
            delivered_at = platform_now(), ${ended}`,
        );
        return done({ rows });
      }
      // Aborted by the worker, not by the receiver: does not count as an attempt.
      signal.throwIfAborted();
      const failed = sql`attempts = attempts + 1, response_status = ${result.response_status}::int, error = ${result.error}::text`;
      const pause = result.final ? undefined : RETRY_AFTER_MS[attempts];
      if (pause === undefined)
        return done({ rows: record(id, sql`${failed}, status = 'failed', ${ended}`), log: result.error });
      const next = sql`next_attempt_at = platform_now() + ${pause}::float8 * interval '1 millisecond'`;
      return again(pause, { rows: record(id, sql`${failed}, ${next}`), log: result.error });
    },
  },
  {
    failed: async ({ operation }, reason) =>
      done({
        rows: record(operation.resource_id, sql`status = 'failed', error = coalesce(error, ${reason}::text), ${ended}`),
      }),
    concurrency: 8,
  },
);
