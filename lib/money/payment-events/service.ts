import type { Call, Upload } from '@/lib/core/api/endpoint';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settleInvoice } from '@/lib/money/invoices/collection';
import { forgetCard, keepCard } from '@/lib/money/payments/cards';
import { settlePage } from '@/lib/money/payments/checkouts';
import { type ProcessorEvent, processor, processorActor } from '@/lib/money/payments/processor';
import { mirrorReversal } from '@/lib/money/payments/reversals';

/**
 * Handles an event of the processor. The event only says which object to check; the processor's current state decides,
 * so events may arrive late, twice, or in any order.
 * @throws ApiError 400 for an invalid signature
 */
export async function receiveEvent(
  call: Call,
  upload: Upload | undefined,
  headers: Headers,
): Promise<{ received: true }> {
  const body = Buffer.from(await new Response(upload?.stream ?? null).arrayBuffer());
  const event = processor().readEvent(body, headers.get('stripe-signature') ?? '');
  // Signed by the processor, without a user; its effects are audited separately.
  call.record.audited = true;
  const { name } = processor();
  const seen = await queryOne(sql`SELECT 1 AS seen FROM payment_events
    WHERE processor = ${name}::text AND event_id = ${event.id}::text`);
  if (!seen) {
    await act(call, event);
    await execute(sql`INSERT INTO payment_events (processor, event_id, type, received_at)
      VALUES (${name}::text, ${event.id}::text, ${event.type}::text, ${call.at}::timestamptz) ON CONFLICT DO NOTHING`);
  }
  return { received: true };
}

async function act(call: Call, { about }: ProcessorEvent): Promise<void> {
  switch (about?.kind) {
    case undefined:
      return;
    case 'page':
      return settlePage(about.reference);
    case 'charge':
      return settleInvoice(about.invoice_id);
    case 'reversal':
      return mirrorReversal(about.payment);
    case 'card_removed':
      return forgetCard(about.reference);
    case 'setup':
      return settleSetup(call, about.reference);
  }
}

/** Stores the card of a SetupIntent of ours; those of other systems at the same processor are ignored. */
async function settleSetup(call: Call, reference: string): Promise<void> {
  const { project_id, customer, card } = await processor().readSetup(reference);
  if (!project_id || !card) return;
  const { name } = processor();
  const ours = await queryOne(sql`SELECT 1 AS ours FROM payment_customers
    WHERE project_id::text = ${project_id}::text AND processor = ${name}::text AND reference = ${customer}::text`);
  if (!ours) return;
  await keepCard({ ...call, caller: undefined }, processorActor(), project_id, card);
}
