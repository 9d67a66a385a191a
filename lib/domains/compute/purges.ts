import { purge } from '@/lib/core/operations/purge';

const MINUTE_MS = 60_000;

/** What of machines is kept only for a while. */
export const computePurges = [purge('console_sessions', 60 * MINUTE_MS, 'expires_at < (SELECT platform_now())')];
