import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Claim } from './commit';
import { dimensions } from './dimensions';
import type { Parts } from './guarded';

/** What a resource gives back of the quota: all that it holds, with its room in cells, or at most these amounts. */
export type Released = { resource_id: string; amounts?: readonly Claim[] | undefined };

/**
 * The parts of a guarded statement that give back quota. A second release gives back nothing more: the ledger says what
 * the resource still holds.
 *
 * The statement has the project's account locked in `k` and its permission in `verdict`. Amounts are summed per
 * dimension first, because a join updates the account's row once, with one of them. New values come from `k`: the row
 * as the UPDATE first finds it may be the one from before the lock wait, and its constraints would be checked on that.
 */
export function releaseParts({ resource_id, amounts }: Released): Parts {
  const sums = dimensions.map((dimension) =>
    raw(`coalesce(sum(released_amount) FILTER (WHERE released_dimension = '${dimension}'), 0) AS ${dimension}`),
  );
  const given = dimensions.map((d) => raw(`${d}_used = k.${d}_used - given_back.${d}`));
  return [
    [
      'released',
      // With a column of the verdict among its arguments the function cannot run before that, and with it the lock.
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
