import type { ProjectCall } from '@/lib/core/api/endpoint';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { keysetPage, type Page } from '@/lib/core/api/pagination';
import { raw, sql } from '@/lib/core/db/sql';
import type { CreditEntry } from './schema';

/** What moved the prepaid credit, the newest first, with the balance after each. */
export async function listCredits(
  { project_id }: ProjectCall,
  list: { limit: number; cursor?: string | undefined },
): Promise<Page<Sendable<CreditEntry>>> {
  type Row = {
    id: string;
    created_at: Date;
    kind: CreditEntry['kind'];
    amount: string;
    balance: string;
    reason: string;
    reference: string;
  };
  const signed = raw(`CASE WHEN to_account = 'credit' THEN amount_usd ELSE -amount_usd END`);
  const page = await keysetPage<Row>({
    select: sql`id, created_at, reason, substring(source from position(':' in source) + 1) AS reference, ${signed} AS amount,
      (SELECT sum(${signed}) FROM credit_entries b WHERE b.project_id = e.project_id AND b.id <= e.id) AS balance,
      CASE WHEN to_account = 'credit' THEN from_account WHEN to_account = 'top_up' THEN 'refund' WHEN to_account = 'grant' THEN 'withdrawal'
        ELSE to_account END AS kind`,
    from: raw('credit_entries e'),
    where: [sql`project_id = ${project_id}::uuid`],
    ...list,
  });
  return page.map(({ amount, balance, created_at, ...entry }) => ({
    ...entry,
    created_at: created_at.toISOString(),
    amount_usd: JsonNumber.money(amount),
    balance_usd: JsonNumber.money(balance),
  }));
}
