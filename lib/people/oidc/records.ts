import { createHash } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import { z } from 'zod';
import type { SealedColumn } from '@/lib/core/crypto/reseal';
import { open } from '@/lib/core/crypto/seal';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { purge } from '@/lib/core/operations/purge';
import { roleRank } from '@/lib/people/identity/authenticate';
import { isLive } from '@/lib/people/identity/sessions';
import { isOpen, openMembership } from './members';

/** What ties a sealed record to its row. */
export const place = (key: Buffer) => `oidc:${key.toString('hex')}`;

/** For `npm run admin -- reseal`. */
export const sealedSsoRecords: SealedColumn = {
  table: 'oidc_records',
  column: 'payload',
  key: 'id',
  bound: "'oidc:' || encode(key_hash, 'hex')",
};

export const ssoRecordPurge = purge('oidc_records', 10 * 60_000, 'expires_at < (SELECT platform_now())');

/** What is stored of a key that a client or browser holds. */
export const hash = (text: string) => createHash('sha256').update(text).digest();

/** Whether a grant, code or token `r` still counts: its person is what they were in the project when it was issued. */
const isUnchanged = sql`EXISTS (
  SELECT FROM ${openMembership} WHERE m.project_id = r.project_id AND m.user_id = r.user_id AND ${isOpen}
    AND u.session_epoch = r.session_epoch AND ${roleRank} IS NOT DISTINCT FROM r.role_rank)`;

/** Whether a signed-in SSO session `r` still counts: it ends with the portal session that it began in. */
const isSignedIn = sql`EXISTS (
  SELECT FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = r.session_id AND s.user_id = r.user_id AND ${isLive('tenant')})`;

const isValid = sql`(r.client_id IS NULL OR ${isUnchanged})
  AND (r.kind <> 'Session' OR r.user_id IS NULL OR ${isSignedIn})`;

type Row = { key_hash: Buffer; payload: Buffer; consumed_at: Date | null };

/** Only what this file wrote is read back. */
const payloadOf = z.custom<AdapterPayload>((value) => typeof value === 'object' && value !== null);

/** The record that meets the condition on `oidc_records r`, unless it no longer counts. */
export async function findRecord(condition: Sql): Promise<AdapterPayload | undefined> {
  const row = await queryOne<Row>(sql`
    SELECT r.key_hash, r.payload, r.consumed_at FROM oidc_records r WHERE ${condition} AND ${isValid}`);
  if (!row) return undefined;
  const payload = payloadOf.parse(JSON.parse(open(row.payload, place(row.key_hash)).toString()));
  return row.consumed_at ? { ...payload, consumed: Math.floor(row.consumed_at.getTime() / 1000) } : payload;
}

/** The condition on `oidc_records r` for one record. */
export function hasKey(kind: string, key: string): Sql {
  return sql`r.kind = ${kind}::text AND r.key_hash = ${hash(key)}::bytea`;
}
