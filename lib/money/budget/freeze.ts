import { raw } from '@/lib/core/db/sql';

/**
 * Whether the locked account `k` is frozen (spec 3.1), as a boolean in SQL: the month's spend has reached limit and lift.
 * Computed from stored facts when it is asked, so that there is no flag to be stale; without a budget that freezes it
 * costs nothing.
 */
export const frozen = raw(`CASE WHEN k.budget_freezes
  THEN budget_used_up(k.project_id, k.budget_limit_usd, k.budget_lift_usd, k.budget_lift_month) ELSE false END`);
