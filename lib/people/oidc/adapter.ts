import type { Adapter } from 'oidc-provider';
import { seal } from '@/lib/core/crypto/seal';
import { newId } from '@/lib/core/db/id';
import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { roleRank } from '@/lib/people/identity/authenticate';
import { errors } from './library';
import { isOpen, openMembership } from './members';
import { findRecord, hash, hasKey, place } from './records';

/**
 * The provider's records of one kind in our database. A record that no longer counts is not found, so every use of a
 * token checks the membership behind it. `portalSession` is that of the present request.
 */
export function recordsOf(kind: string, portalSession: () => string | undefined): Adapter {
  const byKey = (key: string) => hasKey(kind, key);
  return {
    find: (key) => findRecord(byKey(key)),
    findByUid: (uid) => findRecord(sql`r.kind = ${kind}::text AND r.uid_hash = ${hash(uid)}::bytea`),
    // Codes that a person types belong to the device flow, which is off.
    findByUserCode: async () => undefined,
    async upsert(key, payload) {
      const { accountId, clientId, exp, grantId, uid } = payload;
      const sealed = seal(Buffer.from(JSON.stringify(payload)), place(hash(key)));
      const common = sql`${newId()}::uuid, ${kind}::text, ${hash(key)}::bytea, ${uid ? hash(uid) : null}::bytea,
        ${grantId ? hash(grantId) : null}::bytea, ${sealed}::bytea, ${new Date((exp ?? 0) * 1000)}::timestamptz`;
      const row =
        clientId && accountId
          ? sql`SELECT ${common}, m.project_id, c.id, ${roleRank}, u.session_epoch, m.user_id, NULL::uuid
                FROM oidc_clients c, ${openMembership}
                WHERE c.id = ${clientId}::uuid AND m.project_id = c.project_id AND m.user_id = ${accountId}::uuid AND ${isOpen}`
          : sql`SELECT ${common}, NULL::uuid, NULL::uuid, NULL::int, NULL::int, ${accountId ?? null}::uuid,
                ${(kind === 'Session' && accountId && portalSession()) || null}::uuid`;
      const stored = await execute(sql`
        INSERT INTO oidc_records (id, kind, key_hash, uid_hash, grant_hash, payload, expires_at,
          project_id, client_id, role_rank, session_epoch, user_id, session_id) ${row}
        ON CONFLICT (kind, key_hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at,
          user_id = excluded.user_id, session_id = coalesce(oidc_records.session_id, excluded.session_id)`);
      if (stored === 0) throw new errors.InvalidGrant('the user is no longer a member of the project');
    },
    async consume(key) {
      const consumed = await execute(sql`
        UPDATE oidc_records r SET consumed_at = platform_now() WHERE ${byKey(key)} AND r.consumed_at IS NULL`);
      // Of two requests that use a code or token at the same time, one wins.
      if (consumed === 0) throw new errors.InvalidGrant('already used');
    },
    async destroy(key) {
      await execute(sql`DELETE FROM oidc_records r WHERE ${byKey(key)}`);
    },
    async revokeByGrantId(grantId) {
      await execute(sql`
        DELETE FROM oidc_records r WHERE r.kind = ${kind}::text AND r.grant_hash = ${hash(grantId)}::bytea`);
    },
  };
}
