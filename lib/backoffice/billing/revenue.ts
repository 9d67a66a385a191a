import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { type Asked, listOf, ofAllTenants } from '@/lib/core/api/list';
import type { Page } from '@/lib/core/api/pagination';
import { join, raw, sql } from '@/lib/core/db/sql';
import { readMeters, spendAt } from '@/lib/money/rating/meter';
import { type Month, monthOf } from '@/lib/money/rating/month';
import { revenueQuery, type TenantRevenue } from './schema';
import { tenantMatches } from './tenants';

const sums = ['invoiced_usd', 'credit_used_usd', 'paid_usd', 'open_usd', 'carried_usd'] as const;
type Row = Record<(typeof sums)[number], string> & {
  id: string;
  name: string;
  slug: string;
  payment_status: string | null;
};

const due = (statuses: string) => raw(`CASE WHEN y.status IN (${statuses}) THEN y.due_usd ELSE 0 END`);

const listOfMonth = (month: Month, running: Month) =>
  listOf({
    query: revenueQuery,
    columns: sql`p.id, p.name, p.slug, payment_status, ${join(sums.map(raw), ', ')}`,
    from: sql`(SELECT t.id, t.name, t.slug, i.id AS invoice_id, y.status AS payment_status, coalesce(i.subtotal_usd, 0) AS invoiced_usd,
      coalesce(i.credit_usd, 0) AS credit_used_usd, ${due("'paid'")} AS paid_usd,
      ${due("'open', 'failed', 'deferred'")} AS open_usd, ${due("'carried'")} AS carried_usd
      FROM projects t LEFT JOIN invoices i ON i.project_id = t.id AND i.month = ${`${month}-01`}::date
      LEFT JOIN invoice_payments y ON y.invoice_id = i.id) AS p`,
    where: ofAllTenants,
    filters: {
      month: (asked) => raw(asked === running ? 'true' : 'p.invoice_id IS NOT NULL'),
      search: tenantMatches,
    },
    sort: { name: 'p.name', slug: 'p.slug', invoiced_usd: { column: 'p.invoiced_usd', type: 'numeric' } },
    view: (row: Row) => row,
  });

/**
 * Revenue of a month by tenant: tenants with an invoice, or for the current month all tenants with their spend so far.
 */
export async function listRevenue(
  call: AdministratorCall,
  query: Asked<typeof revenueQuery>,
): Promise<Page<Sendable<TenantRevenue>>> {
  const running = monthOf(call.at);
  const month = query.month ?? running;
  const page = await listOfMonth(month, running)(call, query);
  const ids = page.items.map(({ id }) => id);
  const meters = month === running ? await readMeters(sql`p.id = ANY (${ids}::uuid[])`) : new Map<string, never>();
  return page.map((row) => {
    const meter = meters.get(row.id);
    return {
      tenant_id: row.id,
      tenant_name: row.name,
      tenant_slug: row.slug,
      month,
      so_far_usd: meter ? JsonNumber.money(spendAt(meter)) : null,
      invoiced_usd: JsonNumber.money(row.invoiced_usd),
      credit_used_usd: JsonNumber.money(row.credit_used_usd),
      paid_usd: JsonNumber.money(row.paid_usd),
      open_usd: JsonNumber.money(row.open_usd),
      carried_usd: JsonNumber.money(row.carried_usd),
      payment_status: row.payment_status,
    };
  });
}
