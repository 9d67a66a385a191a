import { z } from 'zod';
import { endpoint } from '@/lib/api/endpoint';
import { listQuery } from '@/lib/api/pagination';
import { idParams } from '@/lib/api/schemas';
import * as schema from './schema';
import * as service from './service';

const [realm, tag, access] = ['backoffice', 'Back office: billing', 'administrator'] as const;

/** The check of what was billed against the history of resources. */
export const reconciliationEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/reconciliations',
    realm,
    operation_id: 'listReconciliations',
    summary: 'List checks of what was billed against the history of resources',
    description: 'Done every six hours for the month that was running three days ago, until now.',
    tag,
    access,
    query: z.strictObject({ ...schema.reconciliationFilters, ...listQuery }),
    responses: { 200: z.array(schema.reconciliation) },
    handle: (call, { query }) => service.listReconciliations(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/reconciliations/{id}',
    realm,
    operation_id: 'readReconciliation',
    summary: 'Read a check with the differences it found',
    tag,
    access,
    params: idParams,
    responses: { 200: schema.reconciliationReport },
    handle: (call, { params }) => service.readReconciliation(call, params.id),
  }),
  endpoint({
    method: 'POST',
    path: '/billing/reconciliations',
    realm,
    operation_id: 'reconcile',
    summary: 'Check a period now',
    tag,
    access,
    body: schema.reconcile,
    responses: { 201: schema.reconciliationReport },
    audit: 'billing.reconcile',
    idempotency: 'kernel',
    handle: (call, { body }) => service.reconcileNow(call, body),
  }),
];
