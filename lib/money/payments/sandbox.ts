import { now } from '@/lib/clock';
import { ApiError, invalid, noSuch, notFound } from '@/lib/core/api/errors';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { settings } from '@/lib/settings';
import type { Card, Charge, PageState, Processor } from './processor';

/** The behaviour of a test card: `save` when it is added, `charge` when it is charged off-session. */
type Behaviour = { brand: string; last4: string; save: 'ok' | 'declined' | 'confirm'; charge: 'ok' | 'declined' };

/** Test cards by token, with the tokens and behaviour of Stripe's test mode. */
export const testCards = {
  pm_card_visa: { brand: 'visa', last4: '4242', save: 'ok', charge: 'ok' },
  pm_card_mastercard: { brand: 'mastercard', last4: '4444', save: 'ok', charge: 'ok' },
  pm_card_authenticationRequired: { brand: 'visa', last4: '3184', save: 'confirm', charge: 'ok' },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0002', save: 'declined', charge: 'declined' },
  pm_card_chargeCustomerFail: { brand: 'visa', last4: '0341', save: 'ok', charge: 'declined' },
} as const satisfies Record<string, Behaviour>;

export type TestCard = keyof typeof testCards;
export const testCardTokens = Object.keys(testCards) as [TestCard, ...TestCard[]];

const DECLINED = 'Your card was declined.';

type CardObject = Card & { customer: string; charge: Behaviour['charge'] };
type PageObject = PageState & {
  project_id: string;
  customer: string;
  amount_usd: string | null;
  success_url: string;
  cancel_url: string;
  expires_at: string;
};
type ChargeObject = Charge & { invoice_id: string; amount_usd: string };
type Objects = { customer: object; card: CardObject; page: PageObject; charge: ChargeObject };

/** Stores an object; the first one with a reference stays. */
async function keep<Kind extends keyof Objects>(kind: Kind, reference: string, state: Objects[Kind]): Promise<void> {
  await execute(sql`INSERT INTO sandbox_objects (reference, kind, state, created_at)
    VALUES (${reference}::text, ${kind}::text, ${JSON.stringify(state)}::jsonb, ${now()}::timestamptz) ON CONFLICT DO NOTHING`);
}

async function find<Kind extends keyof Objects>(kind: Kind, reference: string): Promise<Objects[Kind] | undefined> {
  const found = await queryOne<{ state: Objects[Kind] }>(
    sql`SELECT state FROM sandbox_objects WHERE reference = ${reference}::text AND kind = ${kind}::text`,
  );
  return found?.state;
}

async function change<Kind extends keyof Objects>(kind: Kind, reference: string, part: Partial<Objects[Kind]>) {
  await execute(sql`UPDATE sandbox_objects SET state = state || ${JSON.stringify(part)}::jsonb
    WHERE reference = ${reference}::text AND kind = ${kind}::text`);
}

async function makeCard(customer: string, token: TestCard): Promise<Card> {
  const { brand, last4, charge } = testCards[token];
  const exp_year = now().getUTCFullYear() + 3;
  const card: CardObject = {
    reference: `pm_sandbox_${newId()}`,
    brand,
    last4,
    exp_month: 12,
    exp_year,
    customer,
    charge,
  };
  await keep('card', card.reference, card);
  return faceOf(card);
}

function faceOf({ reference, brand, last4, exp_month, exp_year }: Card): Card {
  return { reference, brand, last4, exp_month, exp_year };
}

async function readPage(reference: string): Promise<PageObject> {
  const page = await find('page', reference);
  if (!page) throw notFound('The page');
  const late = page.status === 'open' && new Date(page.expires_at) <= now();
  return late ? { ...page, status: 'expired' } : page;
}

async function readCharge(reference: string): Promise<Charge> {
  const charge = await find('charge', reference);
  if (!charge) throw notFound('The charge');
  const { status, failure } = charge;
  return { reference, status, failure };
}

function isTestCard(token: string): token is TestCard {
  return Object.hasOwn(testCards, token);
}

/**
 * A processor that moves no money: it replaces Stripe where none is configured, so that top-ups, cards and invoices can
 * be tried at once. Its state is in `sandbox_objects`.
 */
export const sandboxProcessor: Processor = {
  name: 'sandbox',

  async createCustomer({ id }) {
    await keep('customer', `cus_sandbox_${id}`, {});
    return `cus_sandbox_${id}`;
  },

  async createSetupIntent() {
    throw invalid(
      'The sandbox has no browser script. Send a test token, or open the page of POST /billing/card-session.',
    );
  },

  async readSetup() {
    throw notFound('The setup');
  },

  async saveCard(customer, token) {
    const saved = await find('card', token);
    if (saved?.customer === customer) return faceOf(saved);
    if (!isTestCard(token)) {
      throw noSuch('payment_method', `test card; the sandbox knows ${testCardTokens.join(', ')}, and none`);
    }
    const { save } = testCards[token];
    if (save === 'declined') throw new ApiError('PAYMENT_FAILED', DECLINED);
    if (save === 'confirm') {
      throw new ApiError(
        'PAYMENT_FAILED',
        'payment_method: the bank requires confirmation by the cardholder. Add the card on the page of POST /billing/card-session.',
      );
    }
    return makeCard(customer, token);
  },

  async removeCard(reference) {
    await execute(sql`DELETE FROM sandbox_objects WHERE reference = ${reference}::text AND kind = 'card'`);
  },

  async openPage({ id, project_id, customer, amount_usd, success_url, cancel_url, expires_at }) {
    const reference = `cs_sandbox_${id}`;
    const addresses = { success_url, cancel_url, expires_at: expires_at.toISOString() };
    const state = { id, status: 'open', paid_usd: null, card: null } as const;
    await keep('page', reference, { ...state, ...addresses, project_id, customer, amount_usd });
    return { reference, url: `${settings().baseUrl}/checkout/${project_id}/${id}` };
  },

  readPage,

  async openCharge({ invoice_id, amount_usd }) {
    const reference = `pi_sandbox_${invoice_id}`;
    await keep('charge', reference, { reference, invoice_id, amount_usd, status: 'open', failure: null });
    return readCharge(reference);
  },

  readCharge,

  async tryCharge(reference, card) {
    const present = await readCharge(reference);
    if (present.status !== 'open') return present;
    const behaviour = (await find('card', card))?.charge;
    const outcome: Pick<Charge, 'status' | 'failure'> =
      behaviour === 'ok' ? { status: 'succeeded', failure: null } : { status: 'open', failure: DECLINED };
    await change('charge', reference, outcome);
    return { reference, ...outcome };
  },

  async readReversal() {
    throw notFound('The payment');
  },

  readEvent() {
    throw invalid('This platform is not connected to Stripe.');
  },
};

/** The state of a sandbox page. @throws ApiError 404 */
export async function sandboxPage(projectId: string, id: string): Promise<PageObject & { reference: string }> {
  const reference = `cs_sandbox_${id}`;
  const page = await readPage(reference);
  if (page.project_id !== projectId) throw notFound('The page');
  return { ...page, reference };
}

/**
 * Pays, or saves a card, on the sandbox's page. Only an open page can be completed, once.
 * @throws ApiError 404, 409 when it is no longer open, 402 when the card is declined or the bank's question was not
 * confirmed
 */
export async function completeSandboxPage(
  projectId: string,
  id: string,
  token: TestCard,
  confirmed: boolean,
): Promise<string> {
  const page = await sandboxPage(projectId, id);
  if (page.status !== 'open') throw new ApiError('CONFLICT', `This page is ${page.status}; start again.`);
  const { save } = testCards[token];
  if (save === 'declined') throw new ApiError('PAYMENT_FAILED', DECLINED);
  if (save === 'confirm' && !confirmed) {
    throw new ApiError('PAYMENT_FAILED', 'The bank declined because it did not receive your confirmation.');
  }
  const card = page.amount_usd === null ? await makeCard(page.customer, token) : null;
  const part: Partial<PageObject> = { status: 'complete', paid_usd: page.amount_usd, card };
  const completed = await execute(sql`UPDATE sandbox_objects SET state = state || ${JSON.stringify(part)}::jsonb
    WHERE reference = ${page.reference}::text AND kind = 'page' AND state ->> 'status' = 'open'`);
  if (completed === 0) throw new ApiError('CONFLICT', 'This page is already complete; start again.');
  return page.reference;
}
