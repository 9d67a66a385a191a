import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Cap } from '@/lib/core/quota/caps';
import { ifAdmitted } from '@/lib/core/quota/guarded';
import { settings } from '@/lib/settings';

/** An order with the certificate that it is for; a deleted certificate has none. */
export type AcmeOrder = {
  id: string;
  url: string | null;
  account_id: string | null;
  sealed_key: Buffer | null;
  created_at: Date;
  certificate_id: string;
  name: string;
  domains: string[];
};

export const readOrder = (id: string) =>
  queryOne<AcmeOrder>(sql`SELECT o.id, o.url, o.account_id, o.sealed_key, o.created_at, o.certificate_id, c.name, c.domains
    FROM acme_orders o JOIN certificates c ON c.id = o.certificate_id WHERE o.id = ${id}::uuid`);

/** A new order, which counts towards the day's limit of the project whether or not it succeeds. */
export const orderInsert = (order: { id: string; project_id: string; certificate_id: string }): Sql =>
  insert('acme_orders', { ...order, created_at: raw('platform_now()') }, ifAdmitted);

/** Changes an order as part of a step. */
export const changeOrder = (id: string, set: Sql): Sql =>
  sql`UPDATE acme_orders SET ${set} FROM ${ifAdmitted} AND acme_orders.id = ${id}::uuid`;

/** The key goes to the certificate, or nowhere; the challenges are over. */
export const endOrder = (id: string): Record<string, Sql> => ({
  order_row: changeOrder(id, raw('sealed_key = NULL')),
  answered: sql`DELETE FROM acme_challenges USING ${ifAdmitted} AND acme_challenges.order_id = ${id}::uuid`,
});

/** The project's limit of orders in 24 hours. */
export const ordersCap = (): Cap => ({
  held: sql`acme_orders_held(k.project_id)`,
  most: settings().acme.ordersPerDay,
  setting: 'ACME_ORDERS_PER_DAY',
  holder: 'In the last 24 hours the project has placed',
  things: 'orders',
});
