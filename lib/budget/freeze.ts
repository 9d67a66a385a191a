import { raw } from '@/lib/db/sql';

/**
 * Whether the locked account `k` is frozen (spec 3.1), as a boolean in SQL. A project has no budget until budgets can be
 * set, and without a budget nothing freezes.
 */
export const frozen = raw('false');
