import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { keysetPage, type Page } from '@/lib/core/api/pagination';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Incident } from './schema';

type Row = Omit<Incident, 'opened_at' | 'closed_at'> & { opened_at: Date; closed_at: Date | null };

export type IncidentFilters = {
  status?: Incident['status'] | undefined;
  tenant_id?: string | undefined;
  resource_id?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/** The incidents of the whole platform, latest first. */
export async function listIncidents(_call: AdministratorCall, filters: IncidentFilters): Promise<Page<Incident>> {
  const { status, tenant_id, resource_id, limit, cursor } = filters;
  const where: Sql[] = [];
  if (status !== undefined) where.push(raw(status === 'open' ? 'i.closed_at IS NULL' : 'i.closed_at IS NOT NULL'));
  if (tenant_id !== undefined) where.push(sql`i.project_id = ${tenant_id}::uuid`);
  if (resource_id !== undefined) where.push(sql`i.resource_id = ${resource_id}::uuid`);
  const page = await keysetPage<Row>({
    select: raw(`i.id, i.key, CASE WHEN i.closed_at IS NULL THEN 'open' ELSE 'closed' END AS status, i.project_id,
      p.name AS tenant_name, p.slug AS tenant_slug, i.resource_type, i.resource_id, i.operation_id, i.reason, i.opened_at, i.closed_at`),
    from: raw('incidents i LEFT JOIN projects p ON p.id = i.project_id'),
    where,
    id: raw('i.id'),
    limit,
    cursor,
  });
  return page.map((row) => ({
    ...row,
    opened_at: row.opened_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
  }));
}
