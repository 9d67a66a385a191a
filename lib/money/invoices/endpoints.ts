import { z } from 'zod';
import { endpoint } from '@/lib/core/api/endpoint';
import { idParams } from '@/lib/core/api/schemas';
import { sql } from '@/lib/core/db/sql';
import { closeMonth, listClosings } from './closings';
import * as details from './details';
import * as detailsSchema from './details-schema';
import type { pdfResponse } from './pdf';
import * as schema from './schema';
import * as service from './service';

const tag = 'Invoices';

/** Loaded with the first download: most processes never create a PDF, and its libraries load slowly. */
const asPdf = async (whole: Parameters<typeof pdfResponse>[0]) => (await import('./pdf')).pdfResponse(whole);

/** Invoices of the project (spec 4.16). */
export const invoiceEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/invoices',
    operation_id: 'listInvoices',
    summary: 'List invoices with their lines',
    tag,
    access: 'reader',
    query: schema.invoiceQuery,
    responses: { 200: z.array(schema.invoice) },
    handle: (call, { query }) => service.listInvoices(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/invoices/{id}',
    operation_id: 'readInvoice',
    summary: 'Read an invoice with its lines',
    tag,
    access: 'reader',
    params: idParams,
    responses: { 200: schema.invoice },
    handle: (call, { params }) => service.readInvoice(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/invoices/{id}/pdf',
    operation_id: 'downloadInvoice',
    rate: 'heavy',
    summary: 'Download an invoice as a PDF',
    tag,
    access: 'reader',
    params: idParams,
    responses: { 200: { stream: 'application/pdf' } },
    handle: async (call, { params }) =>
      asPdf(await service.readWhole(params.id, sql`i.project_id = ${call.project_id}::uuid`)),
  }),
  endpoint({
    method: 'POST',
    path: '/billing/invoices/{id}/pay',
    operation_id: 'payInvoice',
    summary: 'Charge an invoice to the default card now',
    description:
      'A paid invoice is not charged again. One that is too small to charge (`deferred`, `carried`) is refused: its amount ' +
      'is on a later invoice. After a failure, the platform also retries automatically for four weeks.',
    tag,
    access: 'admin',
    params: idParams,
    responses: { 200: schema.invoice },
    errors: ['CONFLICT', 'PAYMENT_FAILED', 'ENGINE_UNAVAILABLE'],
    audit: 'invoice.pay',
    idempotency: 'kernel',
    handle: (call, { params }) => service.payInvoice(call, params.id),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/details',
    operation_id: 'readBillingDetails',
    summary: 'Read the billing details for invoices',
    tag,
    access: 'reader',
    responses: { 200: detailsSchema.billingDetails },
    handle: (call) => details.readBillingDetails(call),
  }),
  endpoint({
    method: 'PUT',
    path: '/billing/details',
    operation_id: 'setBillingDetails',
    summary: 'Set the billing details for invoices',
    description:
      'Replaces all details; omitted fields become empty. Each invoice keeps the details from the time it was closed, so ' +
      'earlier invoices do not change.',
    tag,
    access: 'admin',
    body: detailsSchema.setBillingDetails,
    responses: { 200: detailsSchema.billingDetails },
    audit: 'billing_details.update',
    handle: (call, { body }) => details.setBillingDetails(call, body),
  }),
];

/** Invoices of all tenants, and the closing of months. */
export const platformInvoiceEndpoints = [
  endpoint({
    method: 'GET',
    path: '/billing/invoices',
    realm: 'backoffice',
    operation_id: 'listTenantInvoices',
    summary: 'List invoices of all tenants',
    description: 'Use `status=failed` to list failed payments.',
    tag: 'Back office: billing',
    access: 'administrator',
    query: schema.tenantInvoiceQuery,
    responses: { 200: z.array(schema.tenantInvoice) },
    handle: (call, { query }) => service.listTenantInvoices(call, query),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/invoices/{id}/pdf',
    realm: 'backoffice',
    operation_id: 'downloadTenantInvoice',
    summary: 'Download a tenant’s invoice as a PDF',
    tag: 'Back office: billing',
    access: 'administrator',
    params: idParams,
    responses: { 200: { stream: 'application/pdf' } },
    handle: async (_, { params }) => asPdf(await service.readWhole(params.id, sql`true`)),
  }),
  endpoint({
    method: 'GET',
    path: '/billing/closings',
    realm: 'backoffice',
    operation_id: 'listMonthClosings',
    summary: 'List monthly closings',
    description: 'A month is closed six hours after its end (UTC). Newest first.',
    tag: 'Back office: billing',
    access: 'administrator',
    responses: { 200: z.array(schema.closing) },
    handle: () => listClosings(),
  }),
  endpoint({
    method: 'POST',
    path: '/billing/closings',
    realm: 'backoffice',
    operation_id: 'closeMonth',
    summary: 'Close an ended month now',
    description:
      'Skips the six-hour wait for late usage: usage reported later goes on the next invoice. Earlier months that are ' +
      'still open are closed first. A closed month does not change.',
    tag: 'Back office: billing',
    access: 'administrator',
    body: schema.closeMonth,
    responses: { 200: schema.closing },
    errors: ['CONFLICT'],
    audit: 'month.close',
    idempotency: 'kernel',
    handle: (call, { body }) => closeMonth(call, body.month),
  }),
];
