import { ApiError } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settlePage } from './checkouts';
import { type Payment, recordReversal, reversalVersion } from './owed';
import { processor } from './processor';

const ATTEMPTS = 5;

/**
 * Applies the processor's current refunds and disputes of a payment. The result does not depend on the number and order
 * of events; payments of other systems are ignored.
 * @throws ApiError 503 when the event must be repeated: the payment is not known yet, or a concurrent change came first
 */
export async function mirrorReversal(reference: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await reversalVersion(reference);
    const { checkout_id, ...said } = await processor().readReversal(reference);
    const payment = checkout_id === null ? await invoicePaidBy(reference) : await topUpPaidBy(reference, checkout_id);
    if (!payment || (await recordReversal(payment, said, seen))) return;
  }
  throw new ApiError('ENGINE_UNAVAILABLE', 'payments: the payment changed while it was read. Send the event again.');
}

async function invoicePaidBy(reference: string): Promise<Payment | undefined> {
  const found = await queryOne<{
    project_id: string;
    invoice_id: string;
  }>(sql`SELECT project_id, invoice_id FROM invoice_payments
    WHERE processor = ${processor().name}::text AND reference = ${reference}::text`);
  return found && { ...found, reference, checkout_id: null };
}

/** The top-up of a payment; ensures that its credit is recorded. */
async function topUpPaidBy(reference: string, checkoutId: string): Promise<Payment | undefined> {
  const read = () =>
    queryOne<{ project_id: string; page: string | null; complete: boolean }>(sql`
      SELECT project_id, reference AS page, status = 'complete' AS complete FROM checkout_sessions
      WHERE id::text = ${checkoutId}::text AND processor = ${processor().name}::text AND kind = 'top_up'`);
  let found = await read();
  if (found && !found.complete && found.page !== null) {
    await settlePage(found.page);
    found = await read();
  }
  if (found?.complete === false) {
    throw new ApiError(
      'ENGINE_UNAVAILABLE',
      'payments: the top-up is not confirmed as paid yet. Send the event again.',
    );
  }
  return found && { project_id: found.project_id, reference, checkout_id: checkoutId, invoice_id: null };
}
