import { join, raw, sql } from '@/lib/core/db/sql';
import type { Dimension } from './dimensions';
import type { Parts } from './guarded';

/** The quota that a guarded statement claims for a resource: `verdict.claim_<dimension>` of each dimension. */
export type Claimed = { resource: { type: string; id: string }; dimensions: readonly Dimension[] };

/**
 * The parts of a guarded statement that enter claims in the ledger and in the project's account, which is locked in
 * `k`.
 */
export function claimParts(projectId: string | null, { resource, dimensions }: Claimed): Parts {
  const { type, id } = resource;
  const values = dimensions.map((dimension) => raw(`('${dimension}', verdict.claim_${dimension})`));
  const used = dimensions.map((d) => raw(`${d}_used = k.${d}_used + verdict.claim_${d}`));
  return [
    [
      'claimed',
      sql`INSERT INTO quota_ledger (project_id, resource_type, resource_id, dimension, amount)
          SELECT ${projectId}::uuid, ${type}::text, ${id}::uuid, taken_amount.dimension, taken_amount.amount
          FROM verdict CROSS JOIN LATERAL (VALUES ${join(values, ', ')}) AS taken_amount (dimension, amount)
          WHERE verdict.ok AND taken_amount.amount <> 0
          ON CONFLICT (resource_id, dimension) DO UPDATE SET amount = quota_ledger.amount + excluded.amount`,
    ],
    [
      'charged',
      sql`UPDATE project_accounts SET ${join(used, ', ')} FROM k, verdict
          WHERE verdict.ok AND project_accounts.project_id = k.project_id`,
    ],
  ];
}
