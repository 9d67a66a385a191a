import { z } from 'zod';
import { now } from '@/lib/clock';
import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { invalid, notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { listOf, ofAllTenants, oneOf } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { execute, queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from '@/lib/core/operations/periodic';
import { purge } from '@/lib/core/operations/purge';
import { log } from '@/lib/log';
import type { BillingRule } from '@/lib/money/metering/billing-rule';
import { type Metric, metricNames, metrics } from '@/lib/money/metering/metrics';
import { Money } from '@/lib/money/rating/cost';
import { monthOf, startOf } from '@/lib/money/rating/month';
import { compare } from './compare';
import {
  type DifferenceKind,
  differenceKinds,
  type Reconcile,
  type Reconciliation,
  type ReconciliationReport,
  reconciliationQuery,
} from './schema';

/** The maximum of differences listed in a report. */
const LISTED = 100;
const hour = 60 * 60_000;
/** The longest period of a check. */
const LONGEST_MS = 400 * 24 * hour;
/** A month is checked until its invoice is some days old. */
const LOOK_BACK_MS = 3 * 24 * hour;

/** The start of the month that was current three days ago, so that errors are found early. */
const usualBeginning = (at: Date) => startOf(monthOf(new Date(at.getTime() - LOOK_BACK_MS)));

/** Compares a period and stores the report. Differences are also logged, for operators' alerting. */
async function reconcile(
  rules: readonly BillingRule[],
  from: Date,
  to?: Date,
): Promise<{ id: string; to: Date; differing: number }> {
  const compared = await compare(rules, from, to);
  const { resources, differences } = compared;
  const id = newId();
  await execute(
    insert<Prisma.ReconciliationUncheckedCreateInput>('reconciliations', {
      id,
      period_from: compared.from,
      period_to: compared.to,
      resources,
      differing: differences.length,
      differences: sql`${JSON.stringify(differences.slice(0, LISTED))}::jsonb`,
      created_at: now(),
    }),
  );
  const facts = { reconciliation: id, resources, differing: differences.length };
  if (differences.length > 0) log.error(facts, 'billing differs from resource history');
  else log.info(facts, 'billing matches resource history');
  return { id, to: compared.to, differing: differences.length };
}

export const reconciliationJobs = (rules: readonly BillingRule[]): readonly PeriodicJob[] => [
  {
    name: 'reconcile billing',
    every_ms: 6 * hour,
    async run() {
      await reconcile(rules, usualBeginning(now()));
    },
  },
  purge('reconciliations', 24 * hour, "created_at < (SELECT platform_now()) - interval '400 days'"),
];

type Row = Omit<Reconciliation, 'period_from' | 'period_to' | 'created_at'> & {
  period_from: Date;
  period_to: Date;
  created_at: Date;
};
const columns = raw('id, period_from, period_to, resources, differing, created_at');

function view({ id, period_from, period_to, resources, differing, created_at }: Row): Reconciliation {
  return {
    id,
    period_from: period_from.toISOString(),
    period_to: period_to.toISOString(),
    resources,
    differing,
    created_at: created_at.toISOString(),
  };
}

/** Reports, newest first. */
export const listReconciliations = listOf({
  query: reconciliationQuery,
  columns,
  from: raw('reconciliations'),
  where: ofAllTenants,
  filters: { differing: oneOf({ true: 'differing > 0', false: 'differing = 0' }) },
  view,
});

/** The JSON of a row, as written by `reconcile`. */
const stored = z.array(
  z.object({
    kind: z.enum(differenceKinds),
    project_id: z.string(),
    resource_type: z.string().nullable(),
    resource_id: z.string().nullable(),
    resource_name: z.string().nullable(),
    // Reports of earlier releases lack this.
    month: z.string().nullable().default(null),
    metric: z.enum(metricNames).nullable(),
    expected: z.string(),
    billed: z.string(),
  }),
);

/** A report with its differences. @throws ApiError 404 */
export async function readReconciliation(_: AdministratorCall, id: string): Promise<Sendable<ReconciliationReport>> {
  const row = await queryOne<Row & { differences: unknown }>(
    sql`SELECT ${columns}, differences FROM reconciliations WHERE id = ${id}::uuid`,
  );
  if (!row) throw notFound('The reconciliation', '');
  const differences = stored.parse(row.differences).map((difference) => {
    const { kind, project_id, resource_type, resource_id, resource_name, month, metric } = difference;
    const unit = unitOf(kind, metric);
    const shown = (value: string) => JsonNumber.money(new Money(value).div(unit === 'quantity_hours' ? 3600 : 1));
    return {
      kind,
      tenant_id: project_id,
      resource:
        resource_type !== null && resource_id !== null
          ? { type: resource_type, id: resource_id, name: resource_name }
          : null,
      month,
      metric,
      expected: shown(difference.expected),
      billed: shown(difference.billed),
      unit,
    };
  });
  return { ...view(row), differences };
}

function unitOf(kind: DifferenceKind, metric: Metric | null): ReconciliationReport['differences'][number]['unit'] {
  if (kind === 'future') return 'seconds';
  if (metric === null || kind === 'amount') return 'usd';
  return metrics[metric].basis === 'count' ? 'count' : 'quantity_hours';
}

/** Compares any period now. @throws ApiError 400 for a period that has not begun or is too long */
export async function reconcileNow(
  rules: readonly BillingRule[],
  call: AdministratorCall,
  period: Reconcile,
): Promise<Sendable<ReconciliationReport>> {
  const from = period.from ? new Date(period.from) : usualBeginning(call.at);
  const to = period.to ? new Date(period.to) : undefined;
  if (from >= call.at) throw invalid('from: must be in the past.');
  if ((to ?? call.at).getTime() - from.getTime() > LONGEST_MS)
    throw invalid('to: must be at most 400 days after from.');
  const { id, differing, to: until } = await reconcile(rules, from, to);
  call.record.resource = { type: 'reconciliation', id };
  call.record.details = { from: from.toISOString(), to: until.toISOString(), differing };
  return readReconciliation(call, id);
}
