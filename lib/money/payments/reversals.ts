import { ApiError } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settlePage } from './checkouts';
import { type Payment, recordReversal, reversalVersion } from './owed';
import { processor } from './processor';

const ATTEMPTS = 5;

/**
 * Makes good what the processor says now of refunds and disputes of a payment. Whoever tells of it, in whatever order and
 * however often, the books come to say the same; payments that are not ours are left alone.
 * @throws ApiError 503 where it must be told again: the payment itself is not known yet, or another change came between
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

/** The top-up, whose credit is there from now on at the latest. */
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
