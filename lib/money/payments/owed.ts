import { Decimal } from 'decimal.js';
import { now } from '@/lib/clock';
import { auditInsert } from '@/lib/core/audit/entry';
import { signalChange } from '@/lib/core/db/changes';
import { hintInsert } from '@/lib/core/db/hint';
import { newId } from '@/lib/core/db/id';
import { query, queryOne, queryRow, type Run, transaction } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { addCredit, spendCredit as takeCredit } from '@/lib/money/credit/ledger';
import { processor, processorActor } from './processor';

/** A payment of ours at the processor, for a top-up or an invoice. */
export type Payment = { reference: string; project_id: string; checkout_id: string | null; invoice_id: string | null };
/** The amounts of a payment that were reversed, according to the processor. */
export type Reversed = { refunded_usd: string; disputed_usd: string };

type Row = { id: string; version: number; refunded_usd: string; disputed_usd: string; recovered_usd: string };

const always = raw('(SELECT 1) AS always');

/** The version of a payment's latest reversal; 0: there is none. */
export async function reversalVersion(reference: string): Promise<number> {
  const row = await queryOne<{ version: number }>(sql`SELECT version FROM payment_reversals
    WHERE processor = ${processor().name}::text AND reference = ${reference}::text`);
  return row?.version ?? 0;
}

/**
 * Records the reversed amounts of a payment. For a top-up, the credit is taken back as far as available, and the rest
 * is owed; if the money returns, so does the credit. If the version has changed since the processor was asked, the
 * caller must ask again.
 * @param seen the version from before the processor was asked
 * @returns false if the version has changed since
 */
export async function recordReversal(payment: Payment, said: Reversed, seen: number): Promise<boolean> {
  const { reference, project_id, checkout_id, invoice_id } = payment;
  const { name } = processor();
  const at = now();
  const recorded = await transaction(async (run) => {
    await lockAccount(run, project_id);
    const [before] =
      await run<Row>(sql`SELECT id, version, refunded_usd, disputed_usd, recovered_usd FROM payment_reversals
      WHERE processor = ${name}::text AND reference = ${reference}::text`);
    if ((before?.version ?? 0) !== seen) return false;
    const taken = (row: Reversed) => new Decimal(row.refunded_usd).plus(row.disputed_usd);
    const same = before
      ? new Decimal(before.refunded_usd).eq(said.refunded_usd) && taken(before).eq(taken(said))
      : false;
    if (same || (!before && taken(said).isZero())) return true;
    const recovered = new Decimal(before?.recovered_usd ?? 0);
    const kept = Decimal.min(recovered, checkout_id === null ? 0 : taken(said));
    const row = {
      ...payment,
      ...said,
      id: before?.id ?? newId(),
      processor: name,
      recovered_usd: kept.toFixed(2),
      version: seen + 1,
      created_at: at,
      updated_at: at,
    };
    await run(sql`INSERT INTO payment_reversals SELECT * FROM jsonb_populate_record(NULL::payment_reversals, ${JSON.stringify(row)}::jsonb)
      ON CONFLICT (id) DO UPDATE SET refunded_usd = excluded.refunded_usd, disputed_usd = excluded.disputed_usd,
        recovered_usd = excluded.recovered_usd, version = excluded.version, updated_at = excluded.updated_at`);
    if (recovered.gt(kept)) {
      await run(
        addCredit(
          'top_up',
          {
            project_id,
            source: `reversal:${row.id}:${row.version}`,
            amount_usd: recovered.minus(kept).toFixed(2),
            reason: 'Top-up reinstated',
            created_by: name,
            at,
          },
          always,
        ),
      );
    }
    await takeOwed(run, project_id, at);
    const resource =
      checkout_id === null ? { type: 'invoice', id: invoice_id ?? '' } : { type: 'checkout_session', id: checkout_id };
    const facts = { action: 'payment.reverse', actor: processorActor(), result: 'succeeded', status: 200 } as const;
    const origin = { at, caller: undefined, address: null, request_id: null };
    await run(auditInsert(origin, { ...facts, project_id, resource, details: { reference, ...said } }));
    await run(hintInsert({ project_id, topic: 'credit', resource_id: row.id, at }));
    return true;
  });
  signalChange();
  return recorded;
}

/** A project's debt from reversed payments, in USD. */
export async function owedBy(projectId: string): Promise<string> {
  const { owed_usd } = await queryRow<{ owed_usd: string }>(sql`SELECT coalesce(sum(owed_usd(r)), 0) AS owed_usd
    FROM payment_reversals r WHERE project_id = ${projectId}::uuid`);
  return owed_usd;
}

/** Takes a project's debt from reversed top-ups out of newly added credit. */
export async function recoverOwed(projectId: string): Promise<void> {
  const owes = await queryOne(sql`SELECT 1 AS owes FROM payment_reversals r
    WHERE project_id = ${projectId}::uuid AND checkout_id IS NOT NULL AND owed_usd(r) > 0`);
  if (!owes) return;
  await transaction(async (run) => {
    await lockAccount(run, projectId);
    await takeOwed(run, projectId, now());
  });
  signalChange();
}

/**
 * Settles debts wherever there is credit: the process that added the credit may have died, and grants settle nothing
 * themselves.
 */
export const settleOwed: PeriodicJob = {
  name: 'settle what is owed',
  every_ms: 5_000,
  async run(signal) {
    const owing = await query<{ project_id: string }>(sql`SELECT DISTINCT r.project_id
      FROM payment_reversals r JOIN project_accounts a ON a.project_id = r.project_id
      WHERE r.checkout_id IS NOT NULL AND r.refunded_usd + r.disputed_usd > r.recovered_usd AND a.credit_usd >= 0.01`);
    for (const { project_id } of owing) {
      if (signal.aborted) return;
      await recoverOwed(project_id);
    }
  },
};

const lockAccount = (run: Run, projectId: string) =>
  run(sql`SELECT FROM project_accounts WHERE project_id = ${projectId}::uuid FOR UPDATE`);

/** Takes debts from the credit, oldest first and at most the balance. Requires the account's lock. */
async function takeOwed(run: Run, projectId: string, at: Date): Promise<void> {
  const owed = await run<{ id: string }>(sql`SELECT id FROM payment_reversals r
    WHERE project_id = ${projectId}::uuid AND checkout_id IS NOT NULL AND owed_usd(r) > 0 ORDER BY id`);
  for (const { id } of owed) {
    const [taken] = await run<{ version: number; amount_usd: string; disputed: boolean; processor: string }>(sql`
      UPDATE payment_reversals r SET recovered_usd = recovered_usd + part.amount_usd, version = version + 1, updated_at = ${at}::timestamptz
      FROM (SELECT o.id, least(owed_usd(o), trunc(a.credit_usd, 2)) AS amount_usd FROM payment_reversals o
        JOIN project_accounts a ON a.project_id = o.project_id WHERE o.id = ${id}::uuid) AS part
      WHERE r.id = part.id AND part.amount_usd > 0 RETURNING r.version, part.amount_usd, r.disputed_usd > 0 AS disputed, r.processor`);
    if (!taken) return;
    const { version, amount_usd, disputed } = taken;
    const reason = disputed ? 'Top-up disputed' : 'Top-up refunded';
    const source = `reversal:${id}:${version}`;
    const entry = { project_id: projectId, source, amount_usd, reason, created_by: taken.processor, at };
    await run(takeCredit('top_up', entry, always));
  }
}
