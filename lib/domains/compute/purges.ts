import { purge } from '@/lib/core/operations/purge';

const MINUTE_MS = 60_000;

/** What of machines is kept only for a while. */
export const computePurges = [
  purge('console_sessions', 60 * MINUTE_MS, 'expires_at < (SELECT platform_now())'),
  purge(
    'egress_counters',
    60 * MINUTE_MS,
    'NOT EXISTS (SELECT FROM instances i WHERE i.id = egress_counters.instance_id)',
  ),
];
