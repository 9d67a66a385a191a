import type { ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { raw, sql } from '@/lib/core/db/sql';
import { requireOutgoingUrl } from '@/lib/core/net/checked-fetch';
import { budgetChange } from '@/lib/core/quota/account-rows';
import { commit } from '@/lib/core/quota/commit';
import { readMeter } from '@/lib/money/rating/meter';
import { frozen } from './freeze';
import type { Budget, SetBudget } from './schema';
import { type BudgetFacts, budgetStatus, readBudgetFacts } from './state';

export type VersionedBudget = { budget: Sendable<Budget>; version: number };

async function requireFacts({ project_id }: ProjectCall): Promise<BudgetFacts> {
  const facts = await readBudgetFacts(project_id);
  if (!facts) throw notFound('The project');
  return facts;
}

/** The project's budget and its status; one that was never set has no limit. */
export async function readBudget(call: ProjectCall): Promise<VersionedBudget> {
  const [facts, meter] = await Promise.all([requireFacts(call), readMeter(call.project_id)]);
  const budget = {
    monthly_limit_usd: facts.limit === null ? null : JsonNumber.money(facts.limit),
    thresholds: facts.thresholds,
    enable_quota_freeze: facts.freezes,
    notify_emails: facts.notify_emails,
    webhook_url: facts.webhook_url,
    status: budgetStatus(facts, meter),
    updated_at: facts.updated_at?.toISOString() ?? null,
  };
  return { budget, version: facts.version };
}

/**
 * Sets the budget (spec 4.16), effective from the very next request. A limit above the spend lifts a freeze; with one
 * at or below it a frozen project stays frozen, whatever credit had lifted the freeze before.
 * @param versions the versions that may be replaced; undefined: any
 * @throws ApiError 400 for a webhook that may not be called, 412 when the budget has another version
 */
export async function setBudget(
  call: ProjectCall,
  input: SetBudget,
  versions: readonly string[] | undefined,
): Promise<VersionedBudget> {
  if (input.webhook_url !== null) requireOutgoingUrl('webhook_url', input.webhook_url);
  const { project_id } = call;
  const limit = input.monthly_limit_usd === null ? null : String(input.monthly_limit_usd);
  await commit(call, {
    resource: { type: 'budget', id: project_id },
    locks: true,
    target: sql`SELECT ${versions ? sql`k.budget_version::text = ANY(${versions}::text[])` : raw('true')} AS allowed,
      NULL::text AS state, k.budget_limit_usd, k.budget_freezes, ${frozen} AS was_frozen FROM k`,
    forbidden: () =>
      new ApiError('PRECONDITION_FAILED', 'The budget has changed since it was read. Read it again and retry.'),
    rows: {
      account: budgetChange(limit, input.enable_quota_freeze),
      settings: sql`INSERT INTO budgets (project_id, thresholds, notify_emails, webhook_url, created_at, updated_at)
        SELECT ${project_id}::uuid, ${input.thresholds}::int[], ${input.notify_emails}::text[], ${input.webhook_url}::text,
          ${call.at}::timestamptz, ${call.at}::timestamptz FROM verdict WHERE verdict.ok
        ON CONFLICT (project_id) DO UPDATE SET thresholds = excluded.thresholds, notify_emails = excluded.notify_emails,
          webhook_url = excluded.webhook_url, updated_at = excluded.updated_at`,
    },
    details: sql`(SELECT jsonb_build_object('monthly_limit_usd', jsonb_build_object('old', trim_scale(target.budget_limit_usd),
      'new', ${limit}::numeric), 'enable_quota_freeze', jsonb_build_object('old', target.budget_freezes,
      'new', ${input.enable_quota_freeze}::boolean)) FROM target)`,
  });
  return readBudget(call);
}
