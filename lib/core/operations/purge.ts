import { execute } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import type { PeriodicJob } from './periodic';

const BATCH = 5000;
const minute = 60_000;

/** A job that deletes expired rows in small batches, so that no lock is held for long. */
export function purge(table: string, every_ms: number, expired: string): PeriodicJob {
  return {
    name: `purge ${table}`,
    every_ms,
    async run(signal) {
      while (!signal.aborted) {
        const gone = await execute(sql`
          DELETE FROM ${raw(table)} WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM ${raw(table)} WHERE ${raw(expired)} LIMIT ${BATCH}::int FOR UPDATE SKIP LOCKED))`);
        if (gone < BATCH) return;
      }
    },
  };
}

/** Purges of the core tables. */
export const purges = [
  purge('idempotency_records', 10 * minute, 'expires_at <= (SELECT platform_now())'),
  // Streams read a change within a second; a reader that is further behind has started anew.
  purge('changes', minute, "at < (SELECT platform_now()) - interval '15 minutes'"),
  purge('signin_failures', 10 * minute, "last_at < (SELECT platform_now()) - interval '1 hour'"),
  purge('account_mails', 60 * minute, "created_at < (SELECT platform_now()) - interval '2 days'"),
  purge('account_links', 60 * minute, 'expires_at < (SELECT platform_now())'),
  purge('incidents', 60 * minute, "closed_at < (SELECT platform_now()) - interval '90 days'"),
  purge('sessions', 60 * minute, "expires_at < (SELECT platform_now()) - interval '30 days'"),
];
