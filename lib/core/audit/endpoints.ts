import { z } from 'zod';
import { csvResponse } from '@/lib/core/api/csv';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';

import * as schema from './schema';
import * as service from './service';

const columns = ['at', 'actor_type', 'actor_id', 'actor_name', 'action', 'resource_type', 'resource_id'] as const;
const outcomeColumns = [
  'resource_name',
  'result',
  'status',
  'code',
  'address',
  'request_id',
  'count',
  'last_at',
  'details',
] as const;

/** A project's audit log for its admins, and its recent activity for all members. */
export const auditEndpoints = [
  endpoint({
    method: 'GET',
    path: '/audit',
    operation_id: 'listAudit',
    summary: 'List the project’s audit log: successful, refused and failed actions',
    description: 'Newest first.',
    tag: 'Audit',
    access: 'admin',
    query: schema.auditQuery,
    responses: { 200: z.array(schema.auditEntry) },
    handle: (call, { query }) => service.listAudit(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/audit/export',
    operation_id: 'exportAudit',
    rate: 'heavy',
    summary: 'Export the audit log as CSV',
    description: 'All entries that match the filters, newest first. The export itself is recorded.',
    tag: 'Audit',
    access: 'admin',
    query: schema.auditQuery.omit({ limit: true, cursor: true }),
    responses: { 200: { stream: 'text/csv' } },
    audit: 'audit.export',
    handle: (call, { query }) =>
      csvResponse(service.walkAudit(call, query), [...columns, ...outcomeColumns], 'audit.csv'),
  }),
  endpoint({
    method: 'GET',
    path: '/audit/{id}',
    operation_id: 'readAuditEntry',
    summary: 'Read an audit log entry',
    tag: 'Audit',
    access: 'admin',
    params: idParams,
    responses: { 200: schema.auditEntry },
    handle: (call, { params }) => service.readAudit(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/activity',
    operation_id: 'listActivity',
    summary: 'List recent changes to the project’s resources',
    description: 'Resources created, changed and deleted, and by whom; newest first.',
    tag: 'Audit',
    access: 'reader',
    query: schema.activityQuery,
    responses: { 200: z.array(schema.activity) },
    handle: (call, { query }) => service.listActivity(call, query),
  }),
];

/** The platform's audit log, in the back office. */
export const platformAuditEndpoints = [
  endpoint({
    method: 'GET',
    path: '/audit',
    realm: 'backoffice',
    operation_id: 'listPlatformAudit',
    summary: 'List the platform’s audit log: successful, refused and failed actions',
    description: 'All tenants, the back office, and failed sign-ins; newest first.',
    tag: 'Back office: audit',
    access: 'administrator',
    query: schema.platformAuditQuery,
    responses: { 200: z.array(schema.platformAuditEntry) },
    handle: (call, { query }) => service.listPlatformAudit(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/audit/export',
    realm: 'backoffice',
    operation_id: 'exportPlatformAudit',
    summary: 'Export the platform’s audit log as CSV',
    description: 'All entries that match the filters, newest first. The export itself is recorded.',
    tag: 'Back office: audit',
    access: 'administrator',
    query: schema.platformAuditQuery.omit({ limit: true, cursor: true }),
    responses: { 200: { stream: 'text/csv' } },
    audit: 'audit.export',
    handle: (call, { query }) =>
      csvResponse(
        service.walkPlatformAudit(call, query),
        [...columns, 'tenant_slug', 'project_id', ...outcomeColumns],
        'audit.csv',
      ),
  }),
  endpoint({
    method: 'GET',
    path: '/audit/{id}',
    realm: 'backoffice',
    operation_id: 'readPlatformAuditEntry',
    summary: 'Read a platform audit log entry',
    tag: 'Back office: audit',
    access: 'administrator',
    params: idParams,
    responses: { 200: schema.platformAuditEntry },
    handle: (call, { params }) => service.readPlatformAudit(call, params.id),
  }),
];
