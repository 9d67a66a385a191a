import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/commit';

export type CreditEntry = {
  /** Absent: a new one. */
  id?: string;
  project_id: string;
  /** What caused it: `top_up:<id>`, `grant:<id>`, `invoice:<id>`, `reversal:<id>:<n>`. Told twice, it counts once. */
  source: string;
  /** USD above zero, at most six decimals: a decimal text, or an expression in SQL. */
  amount_usd: string | Sql;
  /** For people: why. */
  reason: string;
  /** The name of who did it. */
  created_by: string;
  at: Date;
};

/**
 * Adds credit, as a part of a `commit` or of a step's rows; `from` decides whether it comes to be. The database moves the
 * balance with the entry, and lifts a freeze (api.md, section 6) where there is one at that moment, by what remains once
 * what is owed is settled; what comes back from a reversal lifts nothing. The statement locks the project's row first (`Write.locks`), as all that decide on money do.
 * @param from_account where it comes from: paid by card, or granted by an administrator
 */
export function addCredit(from_account: 'top_up' | 'grant', entry: CreditEntry, from: Sql = ifAdmitted): Sql {
  return entryInsert(from_account, 'credit', entry, from);
}

/**
 * Uses credit up for an invoice, or takes back what was paid or granted. The balance cannot go below zero: the database
 * refuses the statement, so take at most `k.credit_usd` of the locked account.
 */
export function useCredit(to_account: 'invoice' | 'top_up' | 'grant', entry: CreditEntry, from: Sql = ifAdmitted): Sql {
  return entryInsert('credit', to_account, entry, from);
}

type Account = 'credit' | 'top_up' | 'grant' | 'invoice';

function entryInsert(from_account: Account, to_account: Account, entry: CreditEntry, from: Sql): Sql {
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
