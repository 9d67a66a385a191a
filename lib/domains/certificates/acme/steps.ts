import acme from 'acme-client';
import { now } from '@/lib/clock';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { again, done, failure, goTo, platformOperationSteps, type Step } from '@/lib/core/operations/steps';
import { changeRow } from '@/lib/core/resources/rows';
import { type Material, readMaterial } from '../material';
import { coversHost } from '../names';
import { orderCertificateKind } from '../operations';
import { sealKey } from '../sealed-key';
import { type AcmeAccount, ensureAccount, forgetAccount } from './account';
import { AcmeProblem, acmeClient, asking } from './client';
import { mailAdmins } from './mail';
import { type AcmeOrder, changeOrder, endOrder, readOrder } from './order';
import { newSealedKey, openSealedKey } from './sealed';

/** Authorities answer within seconds. A few small requests each time. */
const POLL_MS = 1000;
const HOUR_MS = 60 * 60_000;
/** The longest pause between failed orders of a certificate. */
const MOST_PAUSE_MS = 24 * HOUR_MS;
/** Problems of an account that the authority no longer accepts. */
const FORGOTTEN_ACCOUNT = 'accountDoesNotExist';
const DEAD_ACCOUNT = [FORGOTTEN_ACCOUNT, 'unauthorized'];

const projectOf = (step: Step<unknown>): string => {
  if (step.operation.project_id === null) throw new Error('a certificate is ordered for a project');
  return step.operation.project_id;
};

/** Ends an order whose certificate has been deleted, and removes its key and its challenges. */
const deleted = (orderId: string) => done({ rows: endOrder(orderId), log: 'The certificate was deleted.' });

type OrderStep = Step<{ order_id: string }>;

/** Runs a part of an order. A refusal by the authority fails the operation with the authority's words. */
async function withOrder<Result>(step: OrderStep, part: (order: AcmeOrder) => Promise<Result>) {
  const order = await readOrder(step.input.order_id);
  if (!order) return deleted(step.input.order_id);
  try {
    return await part(order);
  } catch (error) {
    if (!(error instanceof AcmeProblem)) throw error;
    return (await afterForgottenAccount(order, error)) ?? refusedBy(order, error);
  }
}

/**
 * An authority that has lost its state knows neither the account nor what it ordered: both are made anew, the order's key stays.
 * One that forgets again and again is given up an hour after the order.
 */
async function afterForgottenAccount(order: AcmeOrder, { type }: AcmeProblem) {
  if (type !== FORGOTTEN_ACCOUNT || order.account_id === null) return undefined;
  if (now().getTime() - order.created_at.getTime() > HOUR_MS) return undefined;
  await forgetAccount(order.account_id);
  return goTo('account', { log: 'The certificate authority has forgotten the account; registering a new one.' });
}

function refusedBy(order: AcmeOrder, { type, message, retry_after_s }: AcmeProblem) {
  const reason = `The certificate authority refused the order (${type}): ${message}`;
  if (retry_after_s === undefined) return failure(reason);
  const retry_at = new Date(now().getTime() + retry_after_s * 1000);
  return failure(reason, { rows: { order_row: changeOrder(order.id, sql`retry_at = ${retry_at}::timestamptz`) } });
}

/** The order at the authority, by the account that placed it; undefined if another account has replaced it. */
async function openOrder(order: AcmeOrder) {
  const account = await ensureAccount();
  if (order.url === null || order.account_id !== account.id) return undefined;
  const client = acmeClient(account.key, account.url);
  const known: acme.Order = { url: order.url, status: 'pending', identifiers: [], authorizations: [], finalize: '' };
  const placed = await asking(client.getOrder(known));
  return { client, placed };
}

const keyOf = ({ id, sealed_key }: AcmeOrder): string => {
  if (!sealed_key) throw new Error('the order has no key');
  return openSealedKey('acme_order', id, sealed_key);
};

/** Places the order. After a crash between the answer and its row, a second one is placed, and the first one expires unused. */
async function place(order: AcmeOrder, account: AcmeAccount) {
  const client = acmeClient(account.key, account.url);
  const identifiers = order.domains.map((value) => ({ type: 'dns', value }));
  const { url } = await asking(client.createOrder({ identifiers }));
  return goTo('challenges', {
    rows: { order_row: changeOrder(order.id, sql`url = ${url}::text, account_id = ${account.id}::uuid`) },
    log: 'Ordered from the certificate authority.',
  });
}

function challengeRows(order: AcmeOrder, answers: readonly { token: string; host: string; answer: string }[]): Sql {
  return sql`INSERT INTO acme_challenges (token, order_id, host, key_authorization)
    SELECT a.token, ${order.id}::uuid, a.host, a.answer FROM verdict
    CROSS JOIN jsonb_to_recordset(${JSON.stringify(answers)}::jsonb) AS a (token text, host text, answer text)
    WHERE verdict.ok ON CONFLICT (token) DO NOTHING`;
}

const httpChallengeOf = ({ challenges }: acme.Authorization) => challenges.find(({ type }) => type === 'http-01');

/** The authority's words about a failed validation. */
function failedValidation(authorizations: readonly acme.Authorization[]): string | undefined {
  const failed = authorizations.find(({ status }) => status !== 'pending' && status !== 'valid');
  if (!failed) return undefined;
  const { error } = failed.challenges.find(({ status }) => status === 'invalid') ?? {};
  const detail =
    typeof error === 'object' && error !== null && 'detail' in error ? String(error.detail) : failed.status;
  return `${failed.identifier.value} could not be validated: ${detail}`;
}

function issuedRows(order: AcmeOrder, projectId: string, material: Material): Record<string, Sql> {
  const { chain_pem, private_key_pem, chain, fingerprint_sha256, not_before, not_after, expiring_at } = material;
  const renewal = not_before.getTime() + ((not_after.getTime() - not_before.getTime()) * 2) / 3;
  // A certificate that is due at once must not be ordered again and again.
  const next_order_at = new Date(Math.max(renewal, now().getTime() + HOUR_MS));
  return {
    ...endOrder(order.id),
    certificate: changeRow(
      'certificates',
      order.certificate_id,
      sql`chain_pem = ${chain_pem}::text, sealed_key = ${sealKey(projectId, order.certificate_id, private_key_pem)}::bytea,
        chain = ${JSON.stringify(chain)}::jsonb, fingerprint_sha256 = ${fingerprint_sha256}::text, not_before = ${not_before}::timestamptz,
        not_after = ${not_after}::timestamptz, expiring_at = ${expiring_at}::timestamptz, status_reason = NULL, failures = 0,
        next_order_at = ${next_order_at}::timestamptz`,
    ),
  };
}

export const orderCertificateSteps = platformOperationSteps(
  orderCertificateKind,
  {
    account: (step) =>
      withOrder(step, async () => {
        await ensureAccount();
        return goTo('key');
      }),

    // The key is stored before the authority sees its request, so that no certificate loses its key.
    key: (step) =>
      withOrder(step, async (order) =>
        goTo('place', {
          rows: {
            order_row: sql`${changeOrder(order.id, sql`sealed_key = ${newSealedKey('acme_order', order.id)}::bytea`)} AND acme_orders.sealed_key IS NULL`,
          },
        }),
      ),

    place: (step) =>
      withOrder(step, async (order) => {
        const account = await ensureAccount();
        if (order.url !== null && order.account_id === account.id) return goTo('challenges');
        try {
          return await place(order, account);
        } catch (error) {
          if (!(error instanceof AcmeProblem)) throw error;
          const forgotten = await afterForgottenAccount({ ...order, account_id: account.id }, error);
          if (forgotten) return forgotten;
          // A new account is tried once for each order.
          if (!DEAD_ACCOUNT.includes(error.type) || account.created_at > order.created_at) throw error;
          await forgetAccount(account.id);
          return goTo('account', {
            log: 'The certificate authority no longer accepts the account; registering a new one.',
          });
        }
      }),

    challenges: (step) =>
      withOrder(step, async (order) => {
        const open = await openOrder(order);
        if (!open) return goTo('place');
        const { client, placed } = open;
        const authorizations = await asking(client.getAuthorizations(placed));
        const answers = [];
        for (const authorization of authorizations.filter(({ status }) => status === 'pending')) {
          const challenge = httpChallengeOf(authorization);
          if (!challenge)
            return failure(
              `The certificate authority offers no http-01 challenge for ${authorization.identifier.value}.`,
            );
          const answer = await client.getChallengeKeyAuthorization(challenge);
          answers.push({ token: challenge.token, host: authorization.identifier.value, answer });
        }
        return goTo('validate', { rows: { challenges: challengeRows(order, answers) } });
      }),

    validate: (step) =>
      withOrder(step, async (order) => {
        const open = await openOrder(order);
        if (!open) return goTo('place');
        const { client, placed } = open;
        if (placed.status !== 'pending' && placed.status !== 'invalid') return goTo('finalize');
        const authorizations = await asking(client.getAuthorizations(placed));
        const problem = failedValidation(authorizations);
        if (problem || placed.status === 'invalid')
          return failure(problem ?? 'The certificate authority rejected the order.');
        for (const authorization of authorizations) {
          const challenge = httpChallengeOf(authorization);
          if (authorization.status === 'pending' && challenge?.status === 'pending')
            await asking(client.completeChallenge(challenge));
        }
        return again(POLL_MS, { waits_for: 'Waiting for the certificate authority to check the domains.' });
      }),

    finalize: (step) =>
      withOrder(step, async (order) => {
        const open = await openOrder(order);
        if (!open) return goTo('place');
        const { client, placed } = open;
        if (placed.status === 'ready') {
          const [, request] = await acme.crypto.createCsr({ altNames: order.domains }, keyOf(order));
          await asking(client.finalizeOrder(placed, request));
        }
        return goTo('download');
      }),

    download: (step) =>
      withOrder(step, async (order) => {
        const open = await openOrder(order);
        if (!open) return goTo('place');
        const { client, placed } = open;
        if (placed.status === 'processing')
          return again(POLL_MS, { waits_for: 'Waiting for the certificate authority to issue the certificate.' });
        if (placed.status === 'ready') return goTo('finalize');
        if (placed.status !== 'valid') return failure('The certificate authority rejected the order.');
        const certificate_pem = await asking(client.getCertificate(placed));
        const material = readMaterial({ certificate_pem, private_key_pem: keyOf(order) }, now());
        const missing = order.domains.find((domain) => !coversHost(material.domains, domain));
        if (missing) return failure(`The issued certificate does not cover ${missing}.`);
        return done({ rows: issuedRows(order, projectOf(step), material), log: 'The certificate was issued.' });
      }),
  },
  {
    failed: async (step, reason) => {
      const order = await readOrder(step.input.order_id);
      if (!order) return deleted(step.input.order_id);
      const state = await queryOne<{ failures: number; retry_at: Date | null }>(sql`SELECT c.failures, o.retry_at
        FROM acme_orders o JOIN certificates c ON c.id = o.certificate_id WHERE o.id = ${order.id}::uuid`);
      const failures = state?.failures ?? 0;
      const pause = Math.min(MOST_PAUSE_MS, HOUR_MS * 2 ** failures);
      const next = new Date(Math.max(now().getTime() + pause, state?.retry_at?.getTime() ?? 0));
      // Mail tells of the first failure in a row; notifications, of each.
      const mails = failures === 0 ? await mailAdmins(projectOf(step), order.certificate_id, 'failed') : {};
      return done({
        rows: {
          ...endOrder(order.id),
          certificate: changeRow(
            'certificates',
            order.certificate_id,
            sql`status_reason = ${reason}::text, failures = failures + 1, next_order_at = ${next}::timestamptz`,
          ),
          ...mails,
        },
      });
    },
    // Small requests to one authority.
    concurrency: 4,
  },
);
