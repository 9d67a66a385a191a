import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import type { BillingRule } from '@/lib/money/metering/billing-rule';
import * as schema from './schema';
import * as service from './service';

const [realm, tag, access] = ['backoffice', 'Back office: billing', 'administrator'] as const;

/** Reconciliation of billing with the history of resources. */
export const reconciliationEndpoints = (rules: readonly BillingRule[]) => [
  endpoint({
    method: 'GET',
    path: '/billing/reconciliations',
    realm,
    operation_id: 'listReconciliations',
    summary: 'List reconciliations of billing against resource history',
    description: 'Runs every six hours, from the start of the month of three days ago until now.',
    tag,
    access,
    query: schema.reconciliationQuery,
    responses: { 200: z.array(schema.reconciliation) },
    handle: (call, { query }) => service.listReconciliations(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/reconciliations/{id}',
    realm,
    operation_id: 'readReconciliation',
    summary: 'Read a reconciliation with its differences',
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
    summary: 'Reconcile a period now',
    tag,
    access,
    body: schema.reconcile,
    responses: { 201: schema.reconciliationReport },
    audit: 'billing.reconcile',
    idempotency: 'kernel',
    handle: (call, { body }) => service.reconcileNow(rules, call, body),
  }),
];
