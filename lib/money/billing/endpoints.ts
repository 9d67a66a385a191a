import { z } from 'zod';
import { csvResponse } from '@/lib/core/api/csv';
import { endpoint } from '@/lib/core/api/endpoint';
import { pageQuery } from '@/lib/core/api/pagination';
import { readBreakdown } from './breakdown';
import { listCredits } from './credits';
import { readOverview } from './overview';
import { readPricing } from './pricing';
import { listRunning } from './running';
import * as schema from './schema';
import { readStats } from './stats';
import { csvColumns, listUsage, usageForCsv } from './usage';

const tag = 'Billing';
const access = 'reader';

/** Usage and costs (spec 4.16). */
export const billingEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/overview',
    operation_id: 'readBillingOverview',
    summary: 'Read the month’s spend, forecast and budget status',
    description: 'As of this request: running resources are counted to the millisecond.',
    tag,
    access,
    responses: { 200: schema.overview },
    handle: (call) => readOverview(call),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/running',
    operation_id: 'listRunningCosts',
    summary: 'List resources that currently cost money',
    description: 'Every resource billed by time, most expensive first.',
    tag,
    access,
    query: pageQuery,
    responses: { 200: z.array(schema.running) },
    handle: (call, { query }) => listRunning(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/breakdown',
    operation_id: 'readBillingBreakdown',
    summary: 'Read a month’s costs by category, resource, day, metric or tag',
    description:
      'The items add up to the total: the month to date, or the invoice of a month that has ended. Usage that becomes known ' +
      'after its month was invoiced counts in the current month, at the prices of its own month. Tags are the current ones; an ' +
      'invoiced month keeps those of its invoice.',
    tag,
    access,
    query: schema.breakdownQuery,
    responses: { 200: schema.breakdown },
    handle: (call, { query }) => readBreakdown(call.project_id, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/stats',
    operation_id: 'readUsageStats',
    summary: 'Read a month’s usage of each metric',
    tag,
    access,
    query: schema.statsQuery,
    responses: { 200: schema.stats },
    handle: (call, { query }) => readStats(call, query.month),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/usage',
    operation_id: 'listUsage',
    summary: 'List usage by day and resource',
    description:
      'Newest day first; at most 366 days. Amounts are exact to six decimal places; an invoice rounds each line.',
    tag,
    access,
    query: schema.usageQuery,
    responses: { 200: z.array(schema.usage) },
    handle: (call, { query }) => listUsage(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/usage.csv',
    operation_id: 'exportUsage',
    rate: 'heavy',
    summary: 'Export usage as CSV',
    description: 'All rows that match the filters, newest day first.',
    tag,
    access,
    query: schema.usageQuery.omit({ limit: true, cursor: true }),
    responses: { 200: { stream: 'text/csv' } },
    handle: async (call, { query }) => csvResponse(await usageForCsv(call, query), csvColumns, 'usage.csv'),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/credits',
    operation_id: 'listCredits',
    summary: 'List prepaid credit transactions',
    tag,
    access,
    query: pageQuery,
    responses: { 200: z.array(schema.creditEntry) },
    handle: (call, { query }) => listCredits(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/pricing',
    operation_id: 'readPricing',
    summary: 'Read the rate card',
    description: 'The price of every metric this month, and the next price if one is set.',
    tag,
    access,
    responses: { 200: schema.pricing },
    handle: () => readPricing(),
  }),
];
