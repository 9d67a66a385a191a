import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { type Asked, equals, equalsId, type Filters, listOf, ofAllTenants, ofProject } from '@/lib/core/api/list';
import type { Page } from '@/lib/core/api/pagination';
import { query, queryOne } from '@/lib/core/db/pool';
import { raw, type Sql, sql } from '@/lib/core/db/sql';
import { payNow } from './collection';
import { customerView, type StoredCustomer } from './details';
import { invoiceNumber } from './number';
import { type Invoice, invoiceQuery, type TenantInvoice, tenantInvoiceQuery } from './schema';

type Row = {
  id: string;
  number: number;
  month: string;
  issued_at: Date;
  subtotal_usd: string;
  credit_usd: string;
  due_usd: string;
  status: Invoice['payment']['status'];
  card: string | null;
  attempts: number;
  failure: string | null;
  next_attempt_at: Date | null;
  paid_at: Date | null;
};
type LineRow = Omit<Invoice['lines'][number], 'quantity' | 'unit_price_usd' | 'amount_usd'> & {
  quantity: string;
  unit_price_usd: string;
  amount_usd: string;
};
/** Seller and customer as of the closing of the invoice. */
export type Parties = {
  seller: { name: string; address: string[] };
  customer: StoredCustomer;
};

const columns =
  raw(`i.id, i.number, to_char(i.month, 'YYYY-MM') AS month, i.issued_at, i.subtotal_usd, i.credit_usd, i.due_usd,
  p.status, p.card, p.attempts, p.failure, p.next_attempt_at, p.paid_at`);
const tables = raw('invoices i JOIN invoice_payments p ON p.invoice_id = i.id');

const money = (text: string) => JsonNumber.money(text);

function view(row: Row): Sendable<Omit<Invoice, 'lines' | 'customer'>> {
  const { status, card, attempts, failure, next_attempt_at, paid_at } = row;
  return {
    id: row.id,
    number: invoiceNumber(row.number),
    month: row.month,
    issued_at: row.issued_at.toISOString(),
    subtotal_usd: money(row.subtotal_usd),
    credit_usd: money(row.credit_usd),
    due_usd: money(row.due_usd),
    payment: {
      status,
      card,
      attempts,
      failure,
      next_attempt_at: next_attempt_at?.toISOString() ?? null,
      paid_at: paid_at?.toISOString() ?? null,
    },
  };
}

const filters = {
  month: (month) => sql`i.month = ${`${month}-01`}::date`,
  status: equals('p.status'),
} satisfies Filters<typeof invoiceQuery>;

const listRows = listOf({
  query: invoiceQuery,
  columns: sql`${columns}, i.customer`,
  from: tables,
  id: 'i.id',
  where: ofProject('i'),
  filters,
  view: (row: Row & Pick<Parties, 'customer'>) => row,
});

/** The project's invoices with their lines, newest first. */
export async function listInvoices(
  call: ProjectCall,
  query: Asked<typeof invoiceQuery>,
): Promise<Page<Sendable<Invoice>>> {
  const page = await listRows(call, query);
  const lines = await linesOf(page.items.map(({ id }) => id));
  return page.map((row) => ({ ...view(row), customer: customerView(row.customer), lines: lines.get(row.id) ?? [] }));
}

async function linesOf(invoices: readonly string[]): Promise<Map<string, Sendable<Invoice['lines'][number]>[]>> {
  const rows = await query<LineRow & { invoice_id: string }>(sql`
    SELECT invoice_id, position, kind, category, metric, label, to_char(used_in, 'YYYY-MM') AS used_in, trim_scale(units) AS quantity, unit,
      trim_scale(price_usd) AS unit_price_usd, amount_usd FROM invoice_lines WHERE invoice_id = ANY (${invoices}::uuid[]) ORDER BY invoice_id, position`);
  const lines = new Map<string, Sendable<Invoice['lines'][number]>[]>();
  for (const { invoice_id, quantity, unit_price_usd, amount_usd, ...line } of rows) {
    const exact = { quantity: money(quantity), unit_price_usd: money(unit_price_usd), amount_usd: money(amount_usd) };
    lines.set(invoice_id, [...(lines.get(invoice_id) ?? []), { ...line, ...exact }]);
  }
  return lines;
}

/** An invoice with its lines. @throws ApiError 404 */
export async function readInvoice(call: ProjectCall, id: string): Promise<Sendable<Invoice>> {
  return (await readWhole(id, sql`i.project_id = ${call.project_id}::uuid`)).invoice;
}

/** An invoice with its lines and parties. @throws ApiError 404 */
export async function readWhole(id: string, whose: Sql): Promise<{ invoice: Sendable<Invoice>; parties: Parties }> {
  const row = await queryOne<Row & Parties>(
    sql`SELECT ${columns}, i.seller, i.customer FROM ${tables} WHERE ${whose} AND i.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The invoice');
  const lines = await linesOf([id]);
  const { seller, customer } = row;
  const invoice = { ...view(row), customer: customerView(customer), lines: lines.get(id) ?? [] };
  return { invoice, parties: { seller, customer } };
}

/**
 * Charges the open amount of an invoice to the default card now.
 * @throws ApiError 404, 409 when a later invoice includes the amount, 402 when the charge fails
 */
export async function payInvoice(call: ProjectCall, id: string): Promise<Sendable<Invoice>> {
  const { number, payment } = await readInvoice(call, id);
  call.record.resource = { type: 'invoice', id, name: number };
  if (payment.status === 'deferred') {
    throw conflict(`${number} is too small to charge to a card. Its amount is added to the next invoice.`);
  }
  if (payment.status === 'carried') {
    throw conflict(`The amount of ${number} was added to a later invoice. Pay that one.`);
  }
  await payNow(id);
  return readInvoice(call, id);
}

type TenantRow = Row & { tenant_id: string; tenant_name: string; tenant_slug: string };

/** Invoices of all tenants. */
export const listTenantInvoices = listOf({
  query: tenantInvoiceQuery,
  columns: sql`${columns}, t.id AS tenant_id, t.name AS tenant_name, t.slug AS tenant_slug`,
  from: sql`${tables} JOIN projects t ON t.id = i.project_id`,
  id: 'i.id',
  where: ofAllTenants,
  filters: { ...filters, tenant_id: equalsId('i.project_id') },
  view: (row: TenantRow): Sendable<TenantInvoice> => ({
    ...view(row),
    tenant_id: row.tenant_id,
    tenant_name: row.tenant_name,
    tenant_slug: row.tenant_slug,
  }),
});
