import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { listOf, ofProject } from '@/lib/core/api/list';
import { pageQuery } from '@/lib/core/api/pagination';
import { raw } from '@/lib/core/db/sql';
import type { CreditEntry } from './schema';

type Row = {
  id: string;
  created_at: Date;
  kind: CreditEntry['kind'];
  amount: string;
  balance: string;
  reason: string;
  reference: string;
};

const signed = `CASE WHEN to_account = 'credit' THEN amount_usd ELSE -amount_usd END`;

/** Movements of the prepaid credit, newest first, with the balance after each. */
export const listCredits = listOf({
  query: pageQuery,
  columns:
    raw(`id, created_at, reason, substring(source from position(':' in source) + 1) AS reference, ${signed} AS amount,
    (SELECT sum(${signed}) FROM credit_entries b WHERE b.project_id = e.project_id AND b.id <= e.id) AS balance,
    CASE WHEN to_account = 'credit' THEN from_account WHEN to_account = 'top_up' THEN 'refund' WHEN to_account = 'grant' THEN 'withdrawal'
      ELSE to_account END AS kind`),
  from: raw('credit_entries e'),
  where: ofProject(),
  filters: {},
  view: ({ amount, balance, created_at, ...entry }: Row): Sendable<CreditEntry> => ({
    ...entry,
    created_at: created_at.toISOString(),
    amount_usd: JsonNumber.money(amount),
    balance_usd: JsonNumber.money(balance),
  }),
});
