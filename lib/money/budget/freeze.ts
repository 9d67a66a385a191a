import { raw } from '@/lib/core/db/sql';

/**
 * An SQL boolean: whether the locked account `k` is frozen (spec 3.1), because the month's spend has reached limit plus
 * lift. Computed from stored facts on each use, so there is no flag that could be stale; costs nothing without a budget
 * that freezes.
 */
export const frozen = raw(`CASE WHEN k.budget_freezes
  THEN budget_used_up(k.project_id, k.budget_limit_usd, k.budget_lift_usd, k.budget_lift_month) ELSE false END`);
