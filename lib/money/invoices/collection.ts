import { now } from '@/lib/clock';
import { ApiError } from '@/lib/core/api/errors';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { execute, queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { again, done, platformOperationSteps } from '@/lib/core/operations/steps';
import { customerOf, defaultCard } from '@/lib/money/payments/cards';
import { type Charge, processor, processorName } from '@/lib/money/payments/processor';
import { invoiceNumber } from './number';
import { collectInvoice, RETRY_AFTER_MS } from './operations';

const minute = 60_000;

type Payment = {
  invoice_id: string;
  project_id: string;
  number: number;
  status: string;
  due_usd: string;
  processor: string | null;
  reference: string | null;
  attempts: number;
};

async function readPayment(invoiceId: string): Promise<Payment | undefined> {
  return queryOne<Payment>(sql`SELECT p.invoice_id, p.project_id, i.number, p.status, p.due_usd, p.processor, p.reference, p.attempts
    FROM invoice_payments p JOIN invoices i ON i.id = p.invoice_id WHERE p.invoice_id = ${invoiceId}::uuid`);
}

/** Changes the status of a payment, unless it is paid, which is final. */
async function record({ invoice_id, project_id }: Payment, change: Sql): Promise<void> {
  await execute(sql`WITH changed AS (
      UPDATE invoice_payments SET ${change}, updated_at = platform_now() WHERE invoice_id = ${invoice_id}::uuid AND status IN ('open', 'failed') RETURNING 1)
    ${hintInsert({ project_id, topic: 'invoice', resource_id: invoice_id }, raw('changed'))}`);
  signalChange();
}

const recordPaid = (payment: Payment, card: string | null) =>
  record(
    payment,
    sql`status = 'paid', paid_at = platform_now(), failure = NULL, next_attempt_at = NULL, card = coalesce(${card}::text, card)`,
  );

/** The invoice's charge at the current processor: an open one, or a new one. */
async function chargeOf(payment: Payment): Promise<Charge> {
  const { name, readCharge, openCharge } = processor();
  if (payment.reference !== null && payment.processor === name) {
    const begun = await readCharge(payment.reference);
    if (begun.status !== 'cancelled') return begun;
  }
  const charge = await openCharge({
    invoice_id: payment.invoice_id,
    customer: await customerOf(payment.project_id),
    amount_usd: payment.due_usd,
    description: `Invoice ${invoiceNumber(payment.number)}`,
  });
  await record(payment, sql`processor = ${name}::text, reference = ${charge.reference}::text`);
  return charge;
}

export type Attempt =
  | { outcome: 'paid' }
  | { outcome: 'processing' }
  | { outcome: 'failed'; failure: string; retry_ms: number | null };

/**
 * Charges an invoice to the project's default card. The processor's charge succeeds at most once, so this can be
 * repeated after a crash and run concurrently.
 * @throws ApiError 503 when the processor is unreachable
 */
export async function charge(invoiceId: string): Promise<Attempt> {
  const payment = await readPayment(invoiceId);
  if (!payment) throw new Error(`there is no invoice ${invoiceId}`);
  if (payment.status !== 'open' && payment.status !== 'failed') return { outcome: 'paid' };
  const before = await chargeOf(payment);
  const card = before.status === 'open' ? await defaultCard(payment.project_id) : undefined;
  const after = card ? await processor().tryCharge(before.reference, card.reference) : before;
  if (after.status === 'succeeded') {
    await recordPaid(payment, card ? `${card.brand} ${card.last4}` : null);
    return { outcome: 'paid' };
  }
  if (after.status === 'processing') return { outcome: 'processing' };
  const failure = card
    ? (after.failure ?? 'The card could not be charged.')
    : 'There is no card to charge. Add a card.';
  const retry_ms = RETRY_AFTER_MS[payment.attempts] ?? null;
  const next = retry_ms === null ? null : new Date(now().getTime() + retry_ms);
  await record(
    payment,
    sql`status = 'failed', attempts = attempts + 1, failure = ${failure}::text, next_attempt_at = ${next}::timestamptz,
      card = ${card ? `${card.brand} ${card.last4}` : null}::text`,
  );
  return { outcome: 'failed', failure, retry_ms };
}

/** Updates an invoice from the processor's current state of its charge, without a new try. */
export async function settleInvoice(invoiceId: string): Promise<void> {
  const payment = await readPayment(invoiceId).catch(() => undefined);
  if (!payment?.reference || payment.processor !== processor().name) return;
  const { status } = await processor().readCharge(payment.reference);
  if (status === 'succeeded') await recordPaid(payment, null);
}

/** The pause until the next try, so that a worker that died right after one does not cause another at once. */
async function pauseOf(invoiceId: string): Promise<number> {
  const found = await queryOne<{ pause_ms: number | null }>(sql`
    SELECT ceil(extract(epoch FROM next_attempt_at - platform_now()) * 1000)::float8 AS pause_ms
    FROM invoice_payments WHERE invoice_id = ${invoiceId}::uuid AND status = 'failed'`);
  return found?.pause_ms ?? 0;
}

/** The worker's steps: try now, then with growing pauses. */
export const collectSteps = platformOperationSteps(
  collectInvoice,
  {
    async charge({ operation }) {
      if (processorName() === null) return again(60 * minute, { waits_for: 'A payment processor.' });
      const pause = await pauseOf(operation.resource_id);
      if (pause > 0) return again(pause);
      const attempt = await charge(operation.resource_id);
      if (attempt.outcome === 'paid') return done();
      if (attempt.outcome === 'processing') return again(10 * minute, { waits_for: 'The bank.' });
      if (attempt.retry_ms === null) return done({ log: `${attempt.failure} There are no more automatic attempts.` });
      return again(attempt.retry_ms, { log: attempt.failure, waits_for: attempt.failure });
    },
  },
  { failed: async () => done(), concurrency: 4 },
);

/** Pays an invoice now, on request. @throws ApiError 402 when it fails, 503 */
export async function payNow(invoiceId: string): Promise<void> {
  const attempt = await charge(invoiceId);
  if (attempt.outcome === 'failed') throw new ApiError('PAYMENT_FAILED', attempt.failure);
}
