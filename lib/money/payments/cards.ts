import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { listOf } from '@/lib/core/api/list';
import { pageQuery } from '@/lib/core/api/pagination';
import { type Actor, type AuditOrigin, actor, auditInsert } from '@/lib/core/audit/entry';
import { signalChange } from '@/lib/core/db/changes';
import type { Prisma } from '@/lib/core/db/generated/client';
import { hintInsert } from '@/lib/core/db/hint';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { settings } from '@/lib/settings';
import { type Card, processor, processorName } from './processor';
import type { PaymentMethod } from './schema';

type Row = Card & {
  id: string;
  processor: PaymentMethod['processor'];
  is_default: boolean;
  created_at: Date;
  updated_at: Date;
};

/** The chosen card, or the oldest if none is chosen. */
const defaultOf = (project: Sql) => sql`(
  SELECT d.id FROM payment_methods d
  LEFT JOIN payment_customers c ON c.project_id = d.project_id AND c.processor = d.processor AND c.default_id = d.id
  WHERE d.project_id = ${project} AND d.processor = ${processorName()}::text ORDER BY c.default_id NULLS LAST, d.id LIMIT 1)`;

const columns = (
  projectId: string,
) => sql`id, processor, reference, brand, last4, exp_month, exp_year, created_at, updated_at,
  id = ${defaultOf(sql`${projectId}::uuid`)} AS is_default`;

function view({ reference: _, ...row }: Row): PaymentMethod {
  const times = { created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
  return { ...row, type: 'card', ...times };
}

/** The project's cards at the current processor. */
export const listPaymentMethods = listOf({
  query: pageQuery,
  columns: (call) => columns(call.project_id),
  from: raw('payment_methods'),
  where: (call: ProjectCall) => sql`project_id = ${call.project_id}::uuid AND processor = ${processorName()}::text`,
  filters: {},
  view,
});

async function readPaymentMethod(projectId: string, id: string): Promise<Row> {
  const row = await queryOne<Row>(sql`SELECT ${columns(projectId)} FROM payment_methods
    WHERE project_id = ${projectId}::uuid AND id = ${id}::uuid AND processor = ${processorName()}::text`);
  if (!row) throw notFound('The payment method');
  return row;
}

/** The card that invoices are charged to, if the project has one. */
export async function defaultCard(projectId: string): Promise<Card | undefined> {
  return queryOne<Card>(sql`SELECT reference, brand, last4, exp_month, exp_year FROM payment_methods
    WHERE id = ${defaultOf(sql`${projectId}::uuid`)}`);
}

/** The project's customer id at the processor, created on first use, once under concurrency. */
export async function customerOf(projectId: string): Promise<string> {
  const chosen = processor();
  const known = () =>
    queryOne<{ reference: string }>(sql`SELECT reference FROM payment_customers
      WHERE project_id = ${projectId}::uuid AND processor = ${chosen.name}::text`);
  const before = await known();
  if (before) return before.reference;
  const project = await queryOne<{ id: string; name: string }>(
    sql`SELECT id, name FROM projects WHERE id = ${projectId}::uuid`,
  );
  if (!project) throw notFound('The project');
  const reference = await chosen.createCustomer(project);
  await execute(sql`INSERT INTO payment_customers (project_id, processor, reference, created_at)
    VALUES (${projectId}::uuid, ${chosen.name}::text, ${reference}::text, platform_now()) ON CONFLICT DO NOTHING`);
  return (await known())?.reference ?? reference;
}

/** Starts saving a card with the processor's own script in a browser. */
export async function createSetupIntent(call: ProjectCall) {
  const customer = await customerOf(call.project_id);
  const { id, client_secret } = await processor().createSetupIntent(customer, call.project_id);
  return { id, client_secret, publishable_key: settings().stripe?.publishableKey ?? null };
}

/** Saves a card by its token. @throws ApiError 404 for an unknown token, 402 when the card is declined */
export async function addPaymentMethod(call: ProjectCall, token: string): Promise<PaymentMethod> {
  const card = await processor().saveCard(await customerOf(call.project_id), token);
  const id = await keepCard(call, actor(call.caller), call.project_id, card);
  call.record.audited = true;
  return view(await readPaymentMethod(call.project_id, id));
}

/** Stores a card that the processor has saved, unless it is already stored. @returns its id here */
export async function keepCard(origin: AuditOrigin, by: Actor, projectId: string, card: Card): Promise<string> {
  const id = newId();
  const name = `${card.brand} ${card.last4}`;
  const row = {
    ...card,
    id,
    project_id: projectId,
    processor: processor().name,
    created_at: origin.at,
    updated_at: origin.at,
  };
  const facts = { action: 'payment_method.create', actor: by, result: 'succeeded', status: 201 } as const;
  await execute(sql`WITH verdict AS (
      ${insert<Prisma.PaymentMethodUncheckedCreateInput>('payment_methods', row)} ON CONFLICT (processor, reference) DO NOTHING RETURNING true AS ok),
    audited AS (${auditInsert(origin, { ...facts, project_id: projectId, resource: { type: 'payment_method', id, name } }, ifAdmitted)})
    ${hintInsert({ project_id: projectId, topic: 'payment_method', resource_id: id, at: origin.at }, ifAdmitted)}`);
  signalChange();
  const kept = await queryOne<{ id: string }>(sql`SELECT id FROM payment_methods
    WHERE project_id = ${projectId}::uuid AND processor = ${row.processor}::text AND reference = ${card.reference}::text`);
  if (!kept) throw notFound('The payment method');
  return kept.id;
}

const target = (id: string) => sql`SELECT true AS allowed, NULL::text AS state FROM k
  JOIN payment_methods m ON m.project_id = k.project_id WHERE m.id = ${id}::uuid FOR UPDATE OF m`;

/** Makes a card the default for invoices. @throws ApiError 404 */
export async function setDefault(call: ProjectCall, id: string): Promise<PaymentMethod> {
  const card = await readPaymentMethod(call.project_id, id);
  await commit(call, {
    resource: { type: 'payment_method', id, name: `${card.brand} ${card.last4}` },
    target: target(id),
    rows: {
      chosen: sql`UPDATE payment_customers SET default_id = ${id}::uuid FROM verdict WHERE verdict.ok
        AND payment_customers.project_id = ${call.project_id}::uuid AND payment_customers.processor = ${card.processor}::text`,
    },
  });
  return view({ ...card, is_default: true });
}

/** Removes a card, first at the processor, where it can then no longer be charged. @throws ApiError 404 */
export async function removePaymentMethod(call: ProjectCall, id: string): Promise<void> {
  const card = await readPaymentMethod(call.project_id, id);
  await processor().removeCard(card.reference);
  await commit(call, {
    resource: { type: 'payment_method', id, name: `${card.brand} ${card.last4}` },
    target: target(id),
    rows: {
      gone: sql`DELETE FROM payment_methods USING verdict WHERE verdict.ok AND payment_methods.id = ${id}::uuid`,
    },
  });
}

/** Deletes a card that the processor has detached. */
export async function forgetCard(reference: string): Promise<void> {
  await execute(sql`WITH gone AS (DELETE FROM payment_methods WHERE processor = ${processor().name}::text
      AND reference = ${reference}::text RETURNING project_id, id)
    ${hintInsert({ project_id: raw('project_id'), topic: 'payment_method', resource_id: raw('id') }, raw('gone'))}`);
  signalChange();
}
