import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';

const incidentStatuses = ['open', 'closed'] as const;

/** An incident as the back office sees it. */
export const incident = z
  .strictObject({
    id,
    key: z.string().meta({ description: 'What it is about. At most one incident is open for each key.' }),
    status: z.enum(incidentStatuses),
    project_id: id.nullable(),
    tenant_name: z.string().nullable(),
    tenant_slug: z.string().nullable(),
    resource_type: z.string().meta({ example: 'instance' }),
    resource_id: id,
    operation_id: id.nullable().meta({ description: 'The operation that met it.' }),
    reason: z.string(),
    opened_at: timestamp,
    closed_at: timestamp.nullable(),
  })
  .meta({ id: 'Incident' });
export type Incident = z.output<typeof incident>;

/** An incident as members of its project see it. */
export const projectIncident = incident
  .omit({ key: true, project_id: true, tenant_name: true, tenant_slug: true })
  .meta({ id: 'ProjectIncident' });
export type ProjectIncident = z.output<typeof projectIncident>;

export const incidentQuery = listQuery({
  status: z.enum(incidentStatuses).optional(),
  tenant_id: id.optional(),
  resource_id: id.optional(),
});
