import type { Caller } from '@/lib/core/api/caller';
import { ApiError } from '@/lib/core/api/errors';
import { queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { isLiveToken } from './authenticate';
import { isLive } from './sessions';

/** The columns by which a row refers to the credential that limits its life: a session, API token or provider. */
export type BoundCredential =
  | { session_id: string; session_epoch: number }
  | { token_id: string }
  | { provider_id: string };

/**
 * The caller's credential, for a row that must end with it, and its expiry; null: never.
 * @throws ApiError 401 when it has ended since the request was authenticated
 */
export async function bindCredential(
  caller: Exclude<Caller, { kind: 'administrator' }>,
): Promise<{ credential: BoundCredential; expires_at: Date | null }> {
  switch (caller.kind) {
    case 'user': {
      const { session_id } = caller;
      const session = await queryOne<{ epoch: number; expires_at: Date }>(
        sql`SELECT epoch, expires_at FROM sessions WHERE id = ${session_id}::uuid`,
      );
      if (!session) throw ended();
      return { credential: { session_id, session_epoch: session.epoch }, expires_at: session.expires_at };
    }
    case 'token': {
      const { token_id } = caller;
      const token = await queryOne<{ expires_at: Date | null }>(
        sql`SELECT expires_at FROM api_tokens WHERE id = ${token_id}::uuid`,
      );
      if (!token) throw ended();
      return { credential: { token_id }, expires_at: token.expires_at };
    }
    case 'workload':
      return { credential: { provider_id: caller.provider_id }, expires_at: caller.expires_at };
  }
}

function ended(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The credential is no longer valid. Sign in again.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/**
 * The condition on a row `c` with the columns of `BoundCredential` that its credential is still valid. A workload's
 * credentials have no row, so `c` itself must hold their expiry.
 */
export const credentialCounts: Sql = sql`(
  EXISTS (SELECT FROM sessions s JOIN users u ON u.id = s.user_id
          WHERE s.id = c.session_id AND s.epoch = c.session_epoch AND ${isLive('tenant')})
  OR EXISTS (SELECT FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = c.token_id AND ${isLiveToken})
  OR EXISTS (SELECT FROM identity_providers i WHERE i.id = c.provider_id))`;
