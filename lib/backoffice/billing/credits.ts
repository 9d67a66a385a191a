import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { equalsId, listOf, ofAllTenants } from '@/lib/core/api/list';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { commit } from '@/lib/core/quota/commit';
import { addCredit, spendCredit as takeCredit } from '@/lib/money/credit/ledger';
import { type Credit, creditQuery, type GrantCredit } from './schema';
import { tenantMatches } from './tenants';

type Row = {
  id: string;
  tenant_id: string;
  tenant_name: string;
  tenant_slug: string;
  kind: Credit['kind'];
  amount_usd: string;
  reason: string;
  created_by: string;
  created_at: Date;
};

const columns = raw(`c.id, p.id AS tenant_id, p.name AS tenant_name, p.slug AS tenant_slug,
  CASE WHEN c.from_account = 'credit' THEN c.to_account ELSE c.from_account END AS kind,
  CASE WHEN c.from_account = 'credit' THEN -c.amount_usd ELSE c.amount_usd END AS amount_usd, c.reason, c.created_by, c.created_at`);

function view({ amount_usd, created_at, ...row }: Row): Sendable<Credit> {
  return { ...row, amount_usd: JsonNumber.money(amount_usd), created_at: created_at.toISOString() };
}

/** Credit movements of all tenants, newest first. */
export const listCredits = listOf({
  query: creditQuery,
  columns,
  from: raw('credit_entries c JOIN projects p ON p.id = c.project_id'),
  id: 'c.id',
  where: ofAllTenants,
  filters: {
    tenant_id: equalsId('c.project_id'),
    kind: (kind) => sql`${kind}::text IN (c.from_account, c.to_account)`,
    search: tenantMatches,
  },
  view,
});

/**
 * Grants a tenant prepaid credit, which lifts a freeze for its very next request (spec 3.1). A negative amount takes
 * back granted or paid credit; a freeze that the credit had lifted stays lifted.
 * @throws ApiError 404, 409 when more is taken back than the balance
 */
export async function grantCredit(
  call: AdministratorCall,
  tenantId: string,
  { amount_usd, reason }: GrantCredit,
): Promise<Sendable<Credit>> {
  const tenant = await queryOne<{ name: string; slug: string }>(
    sql`SELECT name, slug FROM projects WHERE id = ${tenantId}::uuid`,
  );
  if (!tenant) throw notFound('The tenant', '');
  const id = newId();
  const entry = { id, amount_usd: String(amount_usd), reason, created_by: call.caller.email };
  const granted = view({
    ...entry,
    tenant_id: tenantId,
    tenant_name: tenant.name,
    tenant_slug: tenant.slug,
    kind: 'grant',
    created_at: call.at,
  });
  const amount = String(Math.abs(amount_usd));
  const moved = { ...entry, amount_usd: amount, project_id: tenantId, source: `grant:${id}`, at: call.at };
  await commit(call, {
    project_id: tenantId,
    resource: { type: 'credit', id, name: tenant.slug },
    locks: true,
    target: sql`SELECT k.credit_usd + ${entry.amount_usd}::numeric >= 0 AS allowed, trim_scale(k.credit_usd)::text AS state FROM k`,
    forbidden: (left) => `amount_usd: the tenant has only ${left} USD of credit left to withdraw.`,
    rows: { credit: amount_usd > 0 ? addCredit('grant', moved) : takeCredit('grant', moved) },
    details: { amount_usd, reason },
    answer: { status: 201, body: granted },
  });
  return granted;
}
