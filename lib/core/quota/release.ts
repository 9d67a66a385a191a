import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Claim } from './commit';
import { dimensions } from './dimensions';
import type { Parts } from './guarded';

/** The quota that a resource releases: everything with its reservations, or at most these amounts. */
export type Released = { resource_id: string; amounts?: readonly Claim[] | undefined };

/**
 * The parts of a guarded statement that release quota. Releasing twice has no further effect: the ledger knows what the
 * resource still holds.
 *
 * The statement has locked the project's account in `k` and has its permission in `verdict`. Amounts are summed per
 * dimension first, because a joined UPDATE writes the account's row only once. New values derive from `k`: the UPDATE
 * may at first find the row from before the lock wait, and would check constraints on that.
 */
export function releaseParts({ resource_id, amounts }: Released): Parts {
  const sums = dimensions.map((dimension) =>
    raw(`coalesce(sum(released_amount) FILTER (WHERE released_dimension = '${dimension}'), 0) AS ${dimension}`),
  );
  const given = dimensions.map((d) => raw(`${d}_used = k.${d}_used - given_back.${d}`));
  return [
    [
      'released',
      // The verdict's column as an argument makes the function run after the verdict, and so after the lock.
      sql`SELECT ledger.* FROM verdict CROSS JOIN LATERAL
          release_ledger(verdict.project_id, ${resource_id}::uuid, ${amounts ? amountsByDimension(amounts) : null}::jsonb) AS ledger
          WHERE verdict.ok`,
    ],
    ['given_back', sql`SELECT ${join(sums, ', ')} FROM released`],
    [
      'charged',
      sql`UPDATE project_accounts SET ${join(given, ', ')} FROM k, verdict, given_back
          WHERE verdict.ok AND project_accounts.project_id = k.project_id`,
    ],
  ];
}

function amountsByDimension(amounts: readonly Claim[]): Sql {
  const pairs = amounts.map(({ dimension, amount }) => sql`${raw(`'${dimension}'`)}, (${amount})::numeric`);
  return sql`jsonb_build_object(${join(pairs, ', ')})`;
}
