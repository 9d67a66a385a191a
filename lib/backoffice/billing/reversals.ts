import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { equalsId, listOf, ofAllTenants, oneOf } from '@/lib/core/api/list';
import { raw } from '@/lib/core/db/sql';
import { invoiceNumber } from '@/lib/money/invoices/number';
import { type Reversal, reversalQuery } from './schema';
import { tenantMatches } from './tenants';

type Row = {
  id: string;
  tenant_id: string;
  tenant_name: string;
  tenant_slug: string;
  number: number | null;
  paid_usd: string;
  refunded_usd: string;
  disputed_usd: string;
  recovered_usd: string;
  owed_usd: string;
  reference: string;
  created_at: Date;
  updated_at: Date;
};

/** Reversed payments, newest first. */
export const listReversals = listOf({
  query: reversalQuery,
  columns:
    raw(`r.id, p.id AS tenant_id, p.name AS tenant_name, p.slug AS tenant_slug, i.number, coalesce(i.due_usd, c.amount_usd) AS paid_usd,
    r.refunded_usd, r.disputed_usd, r.recovered_usd, owed_usd(r) AS owed_usd, r.reference, r.created_at, r.updated_at`),
  from: raw(`payment_reversals r JOIN projects p ON p.id = r.project_id LEFT JOIN invoices i ON i.id = r.invoice_id
    LEFT JOIN checkout_sessions c ON c.id = r.checkout_id`),
  id: 'r.id',
  where: ofAllTenants,
  filters: {
    tenant_id: equalsId('r.project_id'),
    owed: oneOf({ true: 'owed_usd(r) > 0', false: 'owed_usd(r) = 0' }),
    search: tenantMatches,
  },
  view: ({ number, created_at, updated_at, ...row }: Row): Sendable<Reversal> => ({
    ...row,
    kind: number === null ? 'top_up' : 'invoice',
    invoice_number: number === null ? null : invoiceNumber(number),
    paid_usd: JsonNumber.money(row.paid_usd),
    refunded_usd: JsonNumber.money(row.refunded_usd),
    disputed_usd: JsonNumber.money(row.disputed_usd),
    recovered_usd: JsonNumber.money(row.recovered_usd),
    owed_usd: JsonNumber.money(row.owed_usd),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }),
});
