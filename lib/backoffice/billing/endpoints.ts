import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { tenantParams } from '@/lib/people/projects/schema';
import { listBudgets } from './budgets';
import { grantCredit, listCredits } from './credits';
import { addRate, listRates } from './rates';
import { listRevenue } from './revenue';
import { listReversals } from './reversals';
import * as schema from './schema';

const [realm, tag, access] = ['backoffice', 'Back office: billing', 'administrator'] as const;

/** Rates, credit, budgets and revenue of all tenants, for administrators. */
export const moneyEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/rates',
    realm,
    operation_id: 'listRates',
    summary: 'Read the rate card with its history',
    tag,
    access,
    responses: { 200: z.array(schema.ratedMetric) },
    handle: listRates,
  }),
  endpoint({
    method: 'POST',
    path: '/billing/rates',
    realm,
    operation_id: 'addRate',
    summary: 'Add a rate that starts in a future month',
    description: 'Rates are never edited. If several start in the same month, the one added last applies.',
    tag,
    access,
    body: schema.addRate,
    responses: { 201: schema.rate },
    audit: 'rate.create',
    handle: (call, { body }) => addRate(call, body),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/credits',
    realm,
    operation_id: 'listTenantCredits',
    summary: 'List credit transactions of tenants',
    tag,
    access,
    query: schema.creditQuery,
    responses: { 200: z.array(schema.credit) },
    handle: (call, { query }) => listCredits(call, query),
  }),
  endpoint({
    method: 'POST',
    path: '/tenants/{tenant_id}/credits',
    realm,
    operation_id: 'grantCredit',
    summary: 'Grant a tenant prepaid credit, or withdraw it',
    description:
      'Takes effect on the next request: a frozen project is unfrozen until it has spent that much more. Invoices use ' +
      'credit before they charge a card.',
    tag,
    access,
    params: tenantParams,
    body: schema.grantCredit,
    responses: { 201: schema.credit },
    errors: ['CONFLICT'],
    audit: 'credit.grant',
    handle: (call, { params, body }) => grantCredit(call, params.tenant_id, body),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/reversals',
    realm,
    operation_id: 'listReversals',
    summary: 'List payment refunds and disputes, and the amounts tenants owe for them',
    tag,
    access,
    query: schema.reversalQuery,
    responses: { 200: z.array(schema.reversal) },
    handle: (call, { query }) => listReversals(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/budgets',
    realm,
    operation_id: 'listTenantBudgets',
    summary: 'List tenants’ budgets, freezes and credit',
    tag,
    access,
    query: schema.budgetQuery,
    responses: { 200: z.array(schema.tenantBudget) },
    handle: (call, { query }) => listBudgets(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/revenue',
    realm,
    operation_id: 'listTenantRevenue',
    summary: 'List a month’s revenue by tenant',
    description: 'For monthly totals across all tenants, see `/billing/closings`.',
    tag,
    access,
    query: schema.revenueQuery,
    responses: { 200: z.array(schema.tenantRevenue) },
    handle: (call, { query }) => listRevenue(call, query),
  }),
];
