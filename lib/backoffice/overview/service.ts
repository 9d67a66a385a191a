import type { AdministratorCall } from '@/lib/core/api/endpoint';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { queryOne } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { dimensionUnits } from '@/lib/core/quota/dimensions';
import { listEngineReports } from '@/lib/hosts/engine-reports/service';
import { settings } from '@/lib/settings';
import type { Overview } from './schema';

const allocated = ['vcpus', 'ram_gb', 'storage_tb'] as const;
type Allocated = (typeof allocated)[number];

type Numbers = Pick<Overview, 'tenants' | 'users' | 'operations'> &
  Record<`${Allocated}_${'used' | 'limit'}`, string> & {
    payments: { failed: number; failed_usd: string; taken_back: number; owed_usd: string };
  };

/** The platform at a glance: counts, capacity and problems. */
export async function readOverview(_call: AdministratorCall): Promise<Sendable<Overview>> {
  const [numbers, engines] = await Promise.all([readNumbers(), countEngines()]);
  const { tenants, users, operations } = numbers;
  const share = <D extends Allocated>(dimension: D) => ({
    used: JsonNumber.decimal(numbers[`${dimension}_used`]),
    limit: JsonNumber.decimal(numbers[`${dimension}_limit`]),
    unit: dimensionUnits[dimension],
  });
  const allocation = { vcpus: share('vcpus'), ram_gb: share('ram_gb'), storage_tb: share('storage_tb') };
  const { failed_usd, owed_usd, ...counts } = numbers.payments;
  const payments = { ...counts, failed_usd: JsonNumber.money(failed_usd), owed_usd: JsonNumber.money(owed_usd) };
  const shared_sites = [...settings().sharedSites];
  return { tenants, users, operations, engines, payments, shared_sites, allocation };
}

async function readNumbers(): Promise<Numbers> {
  const sums = allocated.flatMap((dimension) =>
    ['used', 'limit'].map((part) => `coalesce(sum(${dimension}_${part}), 0)::text AS ${dimension}_${part}`),
  );
  const numbers = await queryOne<Numbers>(sql`
    SELECT (SELECT json_build_object('total', count(*), 'active', count(*) FILTER (WHERE status = 'active'),
              'suspended', count(*) FILTER (WHERE status = 'suspended')) FROM projects) AS tenants,
      (SELECT json_build_object('total', count(*), 'administrators', count(*) FILTER (WHERE administrator))
       FROM users) AS users,
      (SELECT json_build_object('pending', count(*) FILTER (WHERE status = 'pending'),
              'running', count(*) FILTER (WHERE status = 'running'), 'failed', count(*) FILTER (WHERE status = 'failed'),
              'failed_last_day', count(*) FILTER (WHERE status = 'failed' AND finished_at > platform_now() - interval '1 day'))
       FROM operations WHERE status IN ('pending', 'running', 'failed')) AS operations,
      (SELECT json_build_object('failed', f.n, 'failed_usd', f.usd::text, 'taken_back', o.n, 'owed_usd', o.usd::text)
       FROM (SELECT count(*) AS n, coalesce(sum(due_usd), 0) AS usd FROM invoice_payments WHERE status = 'failed') AS f,
        (SELECT count(*) AS n, coalesce(sum(owed_usd(r)), 0) AS usd FROM payment_reversals r WHERE owed_usd(r) > 0) AS o) AS payments,
      account.* FROM (SELECT ${raw(sums.join(', '))} FROM project_accounts) AS account`);
  if (!numbers) throw new Error('an aggregate without GROUP BY has one row');
  return numbers;
}

async function countEngines(): Promise<Overview['engines']> {
  const engines = { available: 0, degraded: 0, unavailable: 0, silent: 0 };
  for (const { status, silent } of await listEngineReports()) engines[silent ? 'silent' : status] += 1;
  return engines;
}
