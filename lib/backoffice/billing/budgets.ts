import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { type Asked, listOf, ofAllTenants, oneOf } from '@/lib/core/api/list';
import type { Page } from '@/lib/core/api/pagination';
import { raw, sql } from '@/lib/core/db/sql';
import { type BudgetFacts, budgetColumns, budgetStatus } from '@/lib/money/budget/state';
import { readMeters } from '@/lib/money/rating/meter';
import { budgetQuery, type TenantBudget } from './schema';
import { tenantMatches } from './tenants';

type Row = BudgetFacts & { id: string; name: string; slug: string };

/** The condition by which admission decides on a locked account. */
const frozenNow = `CASE WHEN a.budget_freezes
  THEN budget_used_up(a.project_id, a.budget_limit_usd, a.budget_lift_usd, a.budget_lift_month) ELSE false END`;

const list = listOf({
  query: budgetQuery,
  columns: sql`p.id, p.name, p.slug, ${budgetColumns}`,
  from: raw(`projects p JOIN project_accounts a ON a.project_id = p.id LEFT JOIN budgets b ON b.project_id = p.id`),
  id: 'p.id',
  where: ofAllTenants,
  filters: {
    search: tenantMatches,
    // Only a freezing budget can be frozen; meters of the others are not read.
    frozen: oneOf({ true: `a.budget_freezes AND ${frozenNow}`, false: `NOT ${frozenNow}` }),
  },
  sort: { name: 'p.name', slug: 'p.slug' },
  view: (row: Row) => row,
});

/** Every tenant's budget and spend, with the time of a freeze. */
export async function listBudgets(
  call: AdministratorCall,
  query: Asked<typeof budgetQuery>,
): Promise<Page<Sendable<TenantBudget>>> {
  const page = await list(call, query);
  const meters = await readMeters(sql`p.id = ANY (${page.items.map(({ id }) => id)}::uuid[])`);
  return page.map((row) => {
    const meter = meters.get(row.id);
    if (!meter) throw new Error(`project ${row.id} has no meter`);
    const { month_to_date_usd, used_percent, frozen, freezes_at, lift_usd } = budgetStatus(row, meter);
    return {
      tenant_id: row.id,
      tenant_name: row.name,
      tenant_slug: row.slug,
      monthly_limit_usd: row.limit === null ? null : JsonNumber.money(row.limit),
      enable_quota_freeze: row.freezes,
      month_to_date_usd,
      used_percent,
      frozen,
      frozen_since: frozen ? freezes_at : null,
      freezes_at: frozen ? null : freezes_at,
      lift_usd,
      credit_usd: JsonNumber.money(row.credit),
    };
  });
}
