import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { APIRequestContext } from '@playwright/test';
import pg from 'pg';
import { environmentOf } from '../lib/runtime/process-table';
import { bearer, expect, type Tenant } from './support';

/** Sets a tenant's monthly budget. */
export async function setBudget(
  request: APIRequestContext,
  { token }: Tenant,
  budget: { monthly_limit_usd: number | null; enable_quota_freeze: boolean },
): Promise<void> {
  const answer = await request.put('/api/v1/billing/budget', { headers: bearer(token), data: budget });
  expect(answer.status()).toBe(200);
}

const TOKENS_PER_CENT = 50_000;

/**
 * Spends a number of cents of a tenant within a second, by prompt tokens at 0.20 USD per million, written to the table
 * that engines will use.
 */
export async function spendCents({ id }: Tenant, cents: number): Promise<void> {
  await inDatabase(
    `INSERT INTO usage_events (key, project_id, metric, resource_type, resource_id, resource_name, quantity, occurred_at, recorded_at)
     VALUES ($1, $2, 'ai_prompt_tokens', 'model', $2, 'model', $3, platform_now(), platform_now())`,
    [randomBytes(8).toString('hex'), id, cents * TOKENS_PER_CENT],
  );
}

/**
 * Backdates a tenant to two months ago, with spend in that month. The workers close the month within a minute, like any
 * ended month.
 */
export async function spentTwoMonthsAgo({ id }: Tenant, cents: number): Promise<void> {
  await inDatabase(
    `WITH earlier AS (SELECT (month_of(platform_now()) - interval '2 months')::date AS month),
       aged AS (UPDATE projects SET created_at = earlier.month FROM earlier WHERE id = $1)
     INSERT INTO usage_counts (project_id, metric, resource_id, day, billing_month, resource_type, resource_name, quantity)
     SELECT $1, 'ai_prompt_tokens', $1, month, month, 'model', 'model', $2 FROM earlier`,
    [id, cents * TOKENS_PER_CENT],
  );
}

/** Runs SQL, for states that no request can create. */
export async function inDatabase(statement: string, values: unknown[]): Promise<void> {
  const database = new pg.Client(databaseUrl());
  await database.connect();
  try {
    await database.query(statement, values);
  } finally {
    await database.end();
  }
}

/** The database of the tested platform, from its worker's environment. */
function databaseUrl(): string {
  const { port } = new URL(process.env.E2E_BASE_URL ?? '');
  for (const name of readdirSync('/proc')) {
    const settings = environmentOf(Number(name));
    if (!settings.includes('NEPHELE_PROCESS=worker') || !settings.includes(`PORT=${port}`)) continue;
    const found = settings.find((setting) => setting.startsWith('DATABASE_URL='));
    if (found) return found.slice('DATABASE_URL='.length);
  }
  throw new Error(`No platform on this machine serves port ${port}.`);
}

/** Waits until a tenant's budget is used up. */
export async function untilFrozen(request: APIRequestContext, { token }: Tenant): Promise<void> {
  const frozen = async () => {
    const answer = await request.get('/api/v1/billing/budget', { headers: bearer(token) });
    return (await answer.json()).status.frozen;
  };
  await expect.poll(frozen, { timeout: 90_000 }).toBe(true);
}
