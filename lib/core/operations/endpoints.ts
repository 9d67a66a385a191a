import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import * as schema from './schema';
import * as service from './service';

const tag = 'Back office: operations';

/** Operations of a project, for its members. */
export const projectOperationEndpoints = [
  endpoint({
    method: 'GET',
    path: '/operations',
    operation_id: 'listProjectOperations',
    summary: 'List the operations on the project’s resources',
    description: 'Shows, for example, the progress of a new instance and why an operation failed. Newest first.',
    tag: 'Operations',
    access: 'reader',
    query: schema.projectOperationQuery,
    responses: { 200: z.array(schema.projectOperation) },
    handle: (call, { query }) => service.listProjectOperations(call, query),
  }),
];

/** All operations, in the back office. */
export const operationEndpoints = [
  endpoint({
    method: 'GET',
    path: '/operations',
    realm: 'backoffice',
    operation_id: 'listOperations',
    summary: 'List the workers’ operations',
    description: 'Newest first.',
    tag,
    access: 'administrator',
    query: schema.operationQuery,
    responses: { 200: z.array(schema.operation) },
    handle: (call, { query }) => service.listOperations(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/operations/{id}',
    realm: 'backoffice',
    operation_id: 'readOperation',
    summary: 'Read an operation with its stages and log',
    tag,
    access: 'administrator',
    params: idParams,
    responses: { 200: schema.operationDetails },
    handle: (call, { params }) => service.readOperation(call, params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/operations/{id}/retry',
    realm: 'backoffice',
    operation_id: 'retryOperation',
    summary: 'Retry an operation now',
    description:
      'For an operation that has failed or is waiting for its next attempt: it resumes at the stage that failed.',
    tag,
    access: 'administrator',
    params: idParams,
    responses: { 202: schema.operationDetails },
    errors: ['CONFLICT'],
    audit: 'operation.retry',
    idempotency: 'kernel',
    handle: (call, { params }) => service.retryOperation(call, params.id),
  }),
];
