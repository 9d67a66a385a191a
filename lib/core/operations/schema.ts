import { z } from 'zod';
import { listQuery } from '@/lib/core/api/pagination';
import { id, timestamp } from '@/lib/core/api/schemas';

const operationStatuses = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;

/** An operation as the back office sees it, with or without a project. */
export const operation = z
  .strictObject({
    id,
    project_id: id.nullable(),
    tenant_name: z.string().nullable(),
    tenant_slug: z.string().nullable(),
    kind: z.string().meta({ example: 'instance.create' }),
    resource_type: z.string(),
    resource_id: id,
    status: z.enum(operationStatuses),
    stage: z.string().meta({ description: 'The current or next stage, or the one in which it ended.' }),
    attempts: z.int().meta({ description: 'Number of consecutive failures of this stage.' }),
    error: z.string().nullable().meta({ description: 'The last problem, or why the operation failed.' }),
    host_id: z.string().nullable().meta({ description: 'The only host whose worker may run it.' }),
    node: z.string().nullable().meta({
      description: 'The machine inside the host’s cell that has the resource, where its engine reports one.',
    }),
    worker: z.string().nullable().meta({ description: 'The worker that runs it now.' }),
    run_at: timestamp.meta({ description: 'When it is next due, unless a worker is running it.' }),
    deadline_at: timestamp,
    finished_at: timestamp.nullable(),
    request_id: z.string().nullable().meta({ description: 'The request that started it.' }),
    retry_refusal: z.string().nullable().meta({ description: 'Why it cannot be retried now; null if it can.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Operation' });
export type Operation = z.output<typeof operation>;

const logLine = z.strictObject({
  at: timestamp,
  level: z.enum(['info', 'warning', 'error']),
  stage: z.string(),
  message: z.string(),
});

export const operationDetails = operation
  .extend({
    transitions: z
      .array(z.strictObject({ stage: z.string(), at: timestamp }))
      .meta({ description: 'Its stages and when each started.' }),
    logs: z.array(logLine),
  })
  .meta({ id: 'OperationDetails' });
export type OperationDetails = z.output<typeof operationDetails>;

const operationFilters = {
  status: z.enum(operationStatuses).optional(),
  kind: z.string().max(100).optional(),
  tenant_id: id.optional(),
  resource_id: id.optional(),
  request_id: z.string().min(1).max(128).optional().meta({ description: 'The request that ordered it.' }),
};
export const operationQuery = listQuery(operationFilters);

/** An operation as its project sees it. */
export const projectOperation = z
  .strictObject({
    id,
    kind: operation.shape.kind,
    resource_type: z.string(),
    resource_id: id,
    status: operation.shape.status,
    stage: operation.shape.stage,
    transitions: operationDetails.shape.transitions,
    request_id: operation.shape.request_id,
    error: z.string().nullable().meta({ description: 'Why it failed. Problems before that are retried.' }),
    created_at: timestamp,
    updated_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'ProjectOperation' });
export type ProjectOperation = z.output<typeof projectOperation>;

const { tenant_id: _, ...projectOperationFilters } = operationFilters;
export const projectOperationQuery = listQuery(projectOperationFilters);
