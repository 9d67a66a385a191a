import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';

const fields = {
  id,
  at: timestamp,
  actor_type: z.enum(['user', 'token', 'workload', 'administrator', 'host', 'anonymous']),
  actor_id: z.string().nullable(),
  actor_name: z.string(),
  action: z.string().meta({ example: 'secret.create' }),
  resource_type: z.string().nullable(),
  resource_id: z.string().nullable(),
  resource_name: z.string().nullable(),
};

const outcome = {
  result: z.enum(['succeeded', 'refused', 'failed']),
  status: z.int().meta({ description: 'HTTP status of the response.' }),
  code: z.string().nullable().meta({ description: 'Error code, if the request was refused or failed.' }),
  address: z.string().nullable().meta({ description: 'The caller’s network address.' }),
  request_id: z.string().nullable(),
  count: z.int().meta({
    description:
      'Number of occurrences: identical refused reads of one caller share one entry per hour. 1 for everything else.',
  }),
  last_at: timestamp
    .nullable()
    .meta({ description: 'Time of the last occurrence, which the entry shows, if there was more than one.' }),
  details: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'Details such as old and new values; never secret values.' }),
};

/** An entry as a project's admin sees it. */
export const auditEntry = z.strictObject({ ...fields, ...outcome }).meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntry>;

/** An entry as the back office sees it, with or without a project. */
export const platformAuditEntry = z
  .strictObject({
    ...fields,
    project_id: id.nullable(),
    tenant_name: z.string().nullable(),
    tenant_slug: z.string().nullable(),
    ...outcome,
  })
  .meta({ id: 'PlatformAuditEntry' });
export type PlatformAuditEntry = z.output<typeof platformAuditEntry>;

/** A change as every project member may see it. */
export const activity = z
  .strictObject({
    id,
    at: timestamp,
    actor_type: fields.actor_type,
    actor_name: z.string(),
    action: fields.action,
    resource_type: z.string().nullable(),
    resource_id: z.string().nullable(),
    resource_name: z.string().nullable(),
  })
  .meta({ id: 'Activity' });
export type Activity = z.output<typeof activity>;

const text = z.string().min(1).max(254);

const auditFilters = {
  actor: text.optional().meta({ description: 'The actor’s id, or any part of the actor’s name.' }),
  action: text.optional().meta({ description: 'Exact action name.' }),
  resource_type: text.optional(),
  resource_id: text.optional(),
  request_id: z.string().min(1).max(128).optional().meta({
    description: 'The `X-Request-Id` of the request; for refused reads that share an entry, of the last one.',
  }),
  result: outcome.result.optional(),
  from: timestamp.optional().meta({ description: 'At or after this time.' }),
  to: timestamp.optional().meta({ description: 'Before this time.' }),
  search: text
    .optional()
    .meta({ description: 'Matches any part of the action, the actor, or the resource’s name or id.' }),
};

const tenant_id = id.optional().meta({ description: 'Only entries of this tenant.' });
export const auditQuery = listQuery(auditFilters);
export const platformAuditQuery = listQuery({ tenant_id, ...auditFilters });
export const activityQuery = auditQuery.pick({ resource_type: true, resource_id: true, limit: true, cursor: true });
