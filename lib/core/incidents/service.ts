import { equalsId, listOf, ofAllTenants, oneOf } from '@/lib/core/api/list';
import { raw } from '@/lib/core/db/sql';
import { type Incident, incidentQuery } from './schema';

type Row = Omit<Incident, 'opened_at' | 'closed_at'> & { opened_at: Date; closed_at: Date | null };

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
  view: (row: Row): Incident => ({
    ...row,
    opened_at: row.opened_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
  }),
});
