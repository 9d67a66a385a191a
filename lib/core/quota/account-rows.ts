import type { Prisma } from '@/lib/core/db/generated/client';
import { insert, type Sql, sql } from '@/lib/core/db/sql';

/** Inserts the account of a new project, as a part of the `commit` that creates the project. */
export function accountInsert(row: Prisma.ProjectAccountUncheckedCreateInput, from: Sql): Sql {
  return insert('project_accounts', row, from);
}

/**
 * Sets the budget of the project, as a row of a `commit` whose `target` has `was_frozen`: a lift of the former freeze does
 * not count for the new limit.
 * @param limit USD; null without a limit
 */
export function budgetChange(limit: string | null, freezes: boolean): Sql {
  return sql`UPDATE project_accounts SET budget_limit_usd = ${limit}::numeric, budget_freezes = ${freezes}::boolean,
      budget_lift_usd = CASE WHEN target.was_frozen THEN 0 ELSE k.budget_lift_usd END, budget_version = k.budget_version + 1
    FROM k, target, verdict WHERE verdict.ok AND project_accounts.project_id = k.project_id`;
}

/** Records that projects are billed up to the end of a month. @param first its first day, `2026-11-01` */
export function billedThrough(projects: readonly string[], first: string): Sql {
  return sql`UPDATE project_accounts SET billed_until = (${first}::date + interval '1 month')::date
    WHERE project_id = ANY (${projects}::uuid[])`;
}
