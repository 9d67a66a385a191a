import { Decimal } from 'decimal.js';
import { now } from '@/lib/clock';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { invalid, notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { signalChange } from '@/lib/core/db/changes';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { execute, query, queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { guarded } from '@/lib/core/quota/guarded';
import { log } from '@/lib/log';
import { addCredit } from '@/lib/money/credit/ledger';
import { platformPaths } from '@/lib/platform-paths';
import { settings } from '@/lib/settings';
import { customerOf, keepCard } from './cards';
import { recoverOwed } from './owed';
import { processor, processorActor, processorName } from './processor';
import type { CheckoutSession } from './schema';

const minute = 60_000;
/** The processor's pages expire after this time. */
const OPEN_FOR_MS = 60 * minute;
/** A payment that takes days is checked for this long. */
const LONGEST_WAIT_MS = 30 * 24 * 60 * minute;

type Row = {
  id: string;
  project_id: string;
  reference: string | null;
  kind: CheckoutSession['kind'];
  amount_usd: string | null;
  status: CheckoutSession['status'];
  url: string | null;
  expires_at: Date;
  completed_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const columns = raw(
  'id, project_id, reference, kind, amount_usd, status, url, expires_at, completed_at, created_at, updated_at',
);

type ReturnUrls = { success_url?: string | undefined; cancel_url?: string | undefined };

/** Opens a page of the processor to buy credit. @throws ApiError 400 for a return address on another site */
export function createCheckout(call: ProjectCall, input: ReturnUrls & { amount_usd: number }) {
  return openPage(call, 'top_up', new Decimal(input.amount_usd).toFixed(2), input);
}

/** Opens a page of the processor to save a card. @throws ApiError 400 for a return address on another site */
export function createCardSession(call: ProjectCall, input: ReturnUrls) {
  return openPage(call, 'card', null, input);
}

async function openPage(call: ProjectCall, kind: Row['kind'], amount_usd: string | null, given: ReturnUrls) {
  const id = newId();
  const back = await returnUrls(call.project_id, { id, kind }, given);
  const expires_at = new Date(call.at.getTime() + OPEN_FOR_MS);
  const customer = await customerOf(call.project_id);
  // Inserts the row first: if we never learn the page's address, a payment on it is still found by our id.
  await commit(call, {
    resource: { type: 'checkout_session', id },
    rows: {
      session: insert<Prisma.CheckoutSessionUncheckedCreateInput>(
        'checkout_sessions',
        {
          ...back,
          id,
          project_id: call.project_id,
          processor: processor().name,
          kind,
          amount_usd,
          status: 'open',
          expires_at,
          look_at: new Date(call.at.getTime() + minute),
          created_at: call.at,
          updated_at: call.at,
        },
        ifAdmitted,
      ),
    },
    details: { kind, amount_usd },
  });
  const { project_id } = call;
  const opened = await processor().openPage({ ...back, id, project_id, customer, amount_usd, expires_at });
  await execute(sql`UPDATE checkout_sessions SET reference = ${opened.reference}::text, url = ${opened.url}::text
    WHERE id = ${id}::uuid`);
  return { id, url: opened.url };
}

/**
 * The return addresses from the processor's page. They must be on this site, so that our links cannot redirect
 * elsewhere.
 */
async function returnUrls(
  projectId: string,
  { id, kind }: Pick<Row, 'id' | 'kind'>,
  given: ReturnUrls,
): Promise<Required<{ [Name in keyof ReturnUrls]: string }>> {
  const { baseUrl } = settings();
  for (const field of ['success_url', 'cancel_url'] as const) {
    const url = given[field];
    if (url !== undefined && new URL(url).origin !== new URL(baseUrl).origin) {
      throw invalid(`${field}: must start with ${baseUrl}/.`);
    }
  }
  const project = await queryOne<{ slug: string }>(sql`SELECT slug FROM projects WHERE id = ${projectId}::uuid`);
  const page = kind === 'card' ? platformPaths.paymentMethods : platformPaths.credit;
  const back = (checkout: string) => `${baseUrl}${page(project?.slug ?? '', { checkout })}`;
  return { success_url: given.success_url ?? back(id), cancel_url: given.cancel_url ?? back('cancelled') };
}

/** The status of a page as last reported by the processor. @throws ApiError 404 */
export async function readCheckout(call: ProjectCall, id: string): Promise<Sendable<CheckoutSession>> {
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM checkout_sessions WHERE project_id = ${call.project_id}::uuid AND id = ${id}::uuid`,
  );
  if (!row) throw notFound('The checkout session');
  const { project_id: _, reference: __, ...shown } = row;
  return {
    ...shown,
    amount_usd: row.amount_usd === null ? null : JsonNumber.money(row.amount_usd),
    expires_at: row.expires_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * Applies the processor's current state of a page: paid credit, a saved card. Idempotent, whoever calls it; the page's
 * owner comes from our records, not from the caller.
 */
export async function settlePage(reference: string): Promise<void> {
  const page = await processor().readPage(reference);
  if (page.id === null) return;
  const row = await queryOne<Row>(sql`SELECT ${columns} FROM checkout_sessions
    WHERE id = ${page.id}::uuid AND processor = ${processor().name}::text AND coalesce(reference = ${reference}::text, true)`);
  if (!row || row.status === 'complete') return;
  if (row.kind === 'top_up' && page.paid_usd !== null) return close(row, reference, page.paid_usd);
  if (row.kind === 'card' && page.card) {
    await keepCard(origin(), processorActor(), row.project_id, page.card);
    return close(row, reference, null);
  }
  if (page.status !== 'expired' || row.status === 'expired') return;
  await execute(sql`UPDATE checkout_sessions SET status = 'expired', updated_at = platform_now()
    WHERE id = ${row.id}::uuid AND status = 'open'`);
}

const origin = () => ({ at: now(), caller: undefined, address: null, request_id: null });

/** Completes a page together with the paid credit. A second report of the same payment adds nothing. */
async function close({ id, project_id }: Row, reference: string, paid_usd: string | null): Promise<void> {
  const resource = { type: 'checkout_session', id };
  const actor = processorActor();
  const from = origin();
  const { at } = from;
  const completed = sql`UPDATE checkout_sessions SET status = 'complete', reference = ${reference}::text,
    completed_at = platform_now(), updated_at = platform_now() FROM verdict WHERE verdict.ok AND checkout_sessions.id = ${id}::uuid`;
  const entry = { project_id, source: `top_up:${id}`, reason: 'Top-up by card', created_by: actor.actor_name, at };
  const facts = { action: 'credit.top_up', actor, result: 'succeeded', status: 200, resource } as const;
  await execute(
    guarded({
      lock: { project_id, account: true },
      guard: [['verdict', sql`SELECT project_id, true AS ok FROM k`]],
      rows: [
        ['completed', completed],
        [
          'credited',
          paid_usd === null ? undefined : sql`${addCredit('top_up', { ...entry, amount_usd: paid_usd })} RETURNING id`,
        ],
      ],
      // Only the report that adds the credit is audited.
      audit:
        paid_usd === null
          ? undefined
          : { origin: from, facts: { ...facts, details: { amount_usd: paid_usd } }, from: raw('credited') },
      hints: [{ topic: resource.type, resource_id: id, at }],
      returns: raw('ok'),
    }),
  );
  signalChange();
  if (paid_usd !== null) await recoverOwed(project_id);
}

/** Polls the processor about open pages, in case a webhook is lost. */
export const settleOpenPages: PeriodicJob = {
  name: 'settle open checkout sessions',
  every_ms: 15_000,
  async run(signal) {
    if (processorName() === null) return;
    const due = await query<Pick<Row, 'id' | 'reference' | 'created_at'>>(sql`
      UPDATE checkout_sessions SET look_at = platform_now() + least(interval '1 hour', greatest(interval '1 minute', platform_now() - created_at))
      WHERE id = ANY (ARRAY(SELECT id FROM checkout_sessions WHERE status = 'open' AND look_at <= platform_now()
        AND processor = ${processorName()}::text ORDER BY look_at LIMIT 50 FOR UPDATE SKIP LOCKED))
      RETURNING id, reference, created_at`);
    for (const { id, reference, created_at } of due) {
      if (signal.aborted) return;
      const old = now().getTime() - created_at.getTime();
      // Without a reference the page never opened, so nobody could pay on it.
      if (old > (reference ? LONGEST_WAIT_MS : OPEN_FOR_MS)) {
        await execute(
          sql`UPDATE checkout_sessions SET status = 'expired', updated_at = platform_now() WHERE id = ${id}::uuid AND status = 'open'`,
        );
      } else if (reference) {
        await settlePage(reference).catch((error) =>
          log.warn({ err: error, checkout: id }, 'a page could not be settled'),
        );
      }
    }
  },
};
