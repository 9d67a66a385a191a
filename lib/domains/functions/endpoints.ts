import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import { listInvocations, readInvocation } from './invocations';
import { invokeFunction } from './invoke';
import { functionLogs } from './logs';
import * as schema from './schema';
import * as service from './service';
import { templates } from './templates';

const KB = 1024;

/** The other bytes of a form with an archive. */
const FORM_BYTES = 1024 * KB;

const upload = {
  content_types: ['multipart/form-data'],
  max_bytes: schema.ARCHIVE_BYTES + FORM_BYTES,
  or_json: true,
};

/** Serverless functions (spec 4.13; services.md, section 6). */
export const functionEndpoints = [
  endpoint({
    method: 'GET',
    path: '/functions/templates',
    operation_id: 'listFunctionTemplates',
    summary: 'List function templates',
    description: 'The runtimes of functions with an example of each.',
    tag: 'Functions',
    access: 'reader',
    responses: { 200: z.array(schema.functionTemplate) },
    handle: () => [...templates],
  }),
  endpoint({
    method: 'GET',
    path: '/functions',
    operation_id: 'listFunctions',
    summary: 'List functions',
    tag: 'Functions',
    access: 'reader',
    query: schema.functionQuery,
    responses: { 200: z.array(schema.cloudFunction) },
    handle: (call, { query }) => service.listFunctions(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/functions',
    operation_id: 'createFunction',
    summary: 'Create a function',
    description:
      'With `code`, or as a form with the same fields and a zip file `archive` of up to 50 MB. In a form, numbers, lists and ' +
      'objects are JSON. The function is `deploying`, then `active`, or `error` with the reason.',
    tag: 'Functions',
    access: 'member',
    body: schema.createFunction,
    upload,
    responses: { 201: schema.cloudFunction },
    errors: ['CONFLICT', 'ENGINE_UNAVAILABLE'],
    claims: ['serverless_functions'],
    estimate: (call, { body }) => service.estimateFunction(call, body),
    audit: 'function.create',
    handle: (call, { body, upload }) => service.createFunction(call, body, upload),
  }),
  endpoint({
    method: 'GET',
    path: '/functions/{id}',
    operation_id: 'getFunction',
    summary: 'Read a function',
    tag: 'Functions',
    access: 'reader',
    params: idParams,
    responses: { 200: schema.cloudFunction },
    handle: (call, { params }) => service.readFunction(call, params.id),
  }),
  endpoint({
    method: 'PUT',
    path: '/functions/{id}',
    operation_id: 'replaceFunction',
    summary: 'Deploy a new version',
    description:
      'Replaces code and configuration as a whole; without `code` or an archive, the code stays. Invocations from then on ' +
      'run the new version; those that are running end in the old one.',
    tag: 'Functions',
    access: 'member',
    params: idParams,
    body: schema.replaceFunction,
    upload,
    responses: { 200: schema.cloudFunction },
    errors: ['CONFLICT', 'ENGINE_UNAVAILABLE'],
    audit: 'function.replace',
    handle: (call, { params, body, upload }) => service.replaceFunction(call, params.id, body, upload),
  }),
  endpoint({
    method: 'DELETE',
    path: '/functions/{id}',
    operation_id: 'deleteFunction',
    summary: 'Delete a function',
    description: 'With its versions and the history of its invocations. What it is running is ended.',
    tag: 'Functions',
    access: 'member',
    params: idParams,
    responses: { 204: null },
    audit: 'function.delete',
    handle: (call, { params }) => service.deleteFunction(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/functions/{id}/versions',
    operation_id: 'listFunctionVersions',
    summary: 'List versions of a function',
    tag: 'Functions',
    access: 'reader',
    params: idParams,
    query: schema.versionQuery,
    responses: { 200: z.array(schema.functionVersion) },
    handle: (call, { params, query }) => service.listVersions(call, params.id, query),
  }),
  endpoint({
    method: 'GET',
    path: '/functions/{id}/versions/{version}/code',
    operation_id: 'getFunctionCode',
    summary: 'Read the code of a version',
    description: 'The text, or for an archive the list of its files.',
    tag: 'Functions',
    access: 'reader',
    params: schema.versionParams,
    responses: { 200: schema.functionCode },
    handle: (call, { params }) => service.readVersionCode(call, params.id, params.version),
  }),
  endpoint({
    method: 'POST',
    path: '/functions/{id}/rollback',
    operation_id: 'rollBackFunction',
    summary: 'Roll a function back',
    description: 'Makes a new version with the code and configuration of an earlier one.',
    tag: 'Functions',
    access: 'member',
    params: idParams,
    body: schema.rollBack,
    responses: { 200: schema.cloudFunction },
    errors: ['CONFLICT'],
    audit: 'function.roll_back',
    handle: (call, { params, body }) => service.rollBackFunction(call, params.id, body.version),
  }),
  endpoint({
    method: 'POST',
    path: '/functions/{id}/invoke',
    operation_id: 'invokeFunction',
    summary: 'Invoke a function',
    description:
      '`sync` waits for the result; a failure of the function is a result, not an error. `async` queues the event: a failed ' +
      'attempt is retried twice, after 10 seconds and 60 seconds, then the invocation is a `dead_letter`. Each start is ' +
      'billed. Its record is the history of the function, not the audit log.',
    tag: 'Functions',
    access: 'member',
    params: idParams,
    body: schema.invoke,
    body_bytes: schema.SYNC_PAYLOAD_BYTES + KB,
    responses: { 200: schema.invocationResult, 202: schema.queuedInvocation },
    errors: ['CONFLICT', 'RATE_LIMITED', 'CAPACITY_EXHAUSTED', 'ENGINE_UNAVAILABLE'],
    rate: 'read',
    audit: 'function.invoke',
    idempotency: 'kernel',
    handle: (call, { params, body }) => invokeFunction(call, params.id, body),
  }),
  endpoint({
    method: 'GET',
    path: '/functions/{id}/invocations',
    operation_id: 'listInvocations',
    summary: 'List invocations of a function',
    description: 'Kept for seven days.',
    tag: 'Functions',
    access: 'reader',
    params: idParams,
    query: schema.invocationQuery,
    responses: { 200: z.array(schema.invocationSummary) },
    handle: (call, { params, query }) => listInvocations(call, params.id, query),
  }),
  endpoint({
    method: 'GET',
    path: '/functions/{id}/invocations/{invocation_id}',
    operation_id: 'getInvocation',
    summary: 'Read an invocation',
    description: 'With payload, result and log.',
    tag: 'Functions',
    access: 'reader',
    params: schema.invocationParams,
    responses: { 200: schema.invocation },
    handle: (call, { params }) => readInvocation(call, params.id, params.invocation_id),
  }),
  endpoint({
    method: 'GET',
    path: '/functions/{id}/logs',
    operation_id: 'getFunctionLogs',
    summary: 'Follow or read the log of a function',
    description:
      'A stream of server-sent events, `line` each, that begins with the newest lines. With `Accept: application/json`, those ' +
      'lines as a list.',
    tag: 'Functions',
    access: 'reader',
    params: idParams,
    query: schema.logQuery,
    responses: { 200: { json: z.array(schema.functionLogLine), alternative: 'text/event-stream' } },
    errors: ['RATE_LIMITED'],
    handle: (call, { params, query, headers }) => functionLogs(call, params.id, query, headers),
  }),
];
