import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { insert, type NewRow, type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/commit';

export type CreditEntry = {
  /** Default: a new id. */
  id?: string;
  project_id: string;
  /** The cause: `top_up:<id>`, `grant:<id>`, `invoice:<id>`, `reversal:<id>:<n>`. An entry counts once per cause. */
  source: string;
  /** USD above zero, at most six decimals: decimal text, or an SQL expression. */
  amount_usd: string | Sql;
  /** The reason, for people. */
  reason: string;
  /** The name of the person or system. */
  created_by: string;
  at: Date;
};

/**
 * Adds credit, as part of a `commit` or of a step's rows; `from` decides whether it is inserted. The database updates
 * the balance with the entry. If the project is frozen at that moment, the amount left after settling debts lifts the
 * freeze (api.md, section 6); money returned by a reversal does not. Like every decision on money, the statement locks
 * the project's row first (`Write.locks`).
 * @param from_account the origin: paid by card, or granted by an administrator
 */
export function addCredit(from_account: 'top_up' | 'grant', entry: CreditEntry, from: Sql = ifAdmitted): Sql {
  return entryInsert(from_account, 'credit', entry, from);
}

/**
 * Uses credit for an invoice, or takes back paid or granted credit. The database refuses a negative balance, so use at
 * most `k.credit_usd` of the locked account.
 */
export function spendCredit(
  to_account: 'invoice' | 'top_up' | 'grant',
  entry: NewRow<CreditEntry>,
  from: Sql = ifAdmitted,
): Sql {
  return entryInsert('credit', to_account, entry, from);
}

type Account = 'credit' | 'top_up' | 'grant' | 'invoice';

function entryInsert(from_account: Account, to_account: Account, entry: NewRow<CreditEntry>, from: Sql): Sql {
  const { at, amount_usd, ...facts } = entry;
  const amount = typeof amount_usd === 'string' ? sql`${amount_usd}::numeric` : amount_usd;
  const row = { id: newId(), ...facts, from_account, to_account, created_at: at };
  const inserted = insert<Omit<Prisma.CreditEntryUncheckedCreateInput, 'amount_usd'> & { amount_usd: Sql }>(
    'credit_entries',
    { ...row, amount_usd: amount },
    from,
  );
  return sql`${inserted} ON CONFLICT (source) DO NOTHING`;
}
