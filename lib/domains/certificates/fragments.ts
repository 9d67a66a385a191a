import { type Sql, sql } from '@/lib/core/db/sql';

// What others read of the tables of certificates, in statements of their own.

/** Whether a certificate authority is about to call. */
export const hasChallenges: Sql = sql`EXISTS (SELECT FROM acme_challenges)`;
