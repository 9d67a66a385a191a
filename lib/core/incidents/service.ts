import { equalsId, listOf, ofAllTenants, oneOf } from '@/lib/core/api/list';
import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { type Incident, incidentQuery, type ProjectIncident } from './schema';

type Timed<Item> = Omit<Item, 'opened_at' | 'closed_at'> & { opened_at: Date; closed_at: Date | null };
type Row = Timed<Incident>;

/** All incidents of the platform, newest first. */
export const listIncidents = listOf({
  query: incidentQuery,
  columns: raw(`i.id, i.key, CASE WHEN i.closed_at IS NULL THEN 'open' ELSE 'closed' END AS status, i.project_id,
    p.name AS tenant_name, p.slug AS tenant_slug, i.resource_type, i.resource_id, i.operation_id, i.reason, i.opened_at, i.closed_at`),
  from: raw('incidents i LEFT JOIN projects p ON p.id = i.project_id'),
  id: 'i.id',
  where: ofAllTenants,
  filters: {
    status: oneOf({ open: 'i.closed_at IS NULL', closed: 'i.closed_at IS NOT NULL' }),
    tenant_id: equalsId('i.project_id'),
    resource_id: equalsId('i.resource_id'),
  },
  view: (row: Row): Incident => withTimes(row),
});

/** Incidents of a project that were open at some time since `since`, newest first. */
export async function incidentsOfProject(
  project_id: string,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<ProjectIncident[]> {
  const rows = await query<Timed<ProjectIncident>>(sql`
    SELECT id, CASE WHEN closed_at IS NULL THEN 'open' ELSE 'closed' END AS status, resource_type, resource_id, operation_id, reason,
      opened_at, closed_at
    FROM incidents WHERE project_id = ${project_id}::uuid AND (closed_at IS NULL OR closed_at >= ${from}::timestamptz)
      AND opened_at <= ${to}::timestamptz
    ORDER BY id DESC LIMIT ${limit}::int`);
  return rows.map((row) => withTimes(row));
}

const withTimes = <Item extends { opened_at: Date; closed_at: Date | null }>(row: Item) => ({
  ...row,
  opened_at: row.opened_at.toISOString(),
  closed_at: row.closed_at?.toISOString() ?? null,
});
