import { createHash } from 'node:crypto';
import { open, seal } from '@/lib/core/crypto/seal';
import type { Prisma } from '@/lib/core/db/generated/client';
import { execute, queryOne } from '@/lib/core/db/pool';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { type Caller, callerKey } from './caller';
import type { Call } from './endpoint';
import { ApiError, invalid } from './errors';
import { writeJson } from './json';

const REPLAYED_FOR_MS = 24 * 60 * 60 * 1000;
/** A key held by a process that died is freed after this time. */
const RUNNING_AT_MOST_MS = 2 * 60 * 1000;

/** A concurrent request with the same key was admitted first; its answer is the one to return. */
export class RacedByTwin extends Error {
  override name = 'RacedByTwin';
}

export type KeptAnswer = { status: number; body: string };

/** The id of a request for replay (caller, path and key) and a hash of its content. */
export function requestKey(
  key: string,
  caller: Caller,
  request: { method: string; path: string; query: string; content_type: string; body: Uint8Array },
): { id: Buffer; request_hash: Buffer; recorded: boolean } {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalid('Idempotency-Key: must be 1 to 255 visible ASCII characters.');
  const id = createHash('sha256')
    .update([callerKey(caller), request.method, request.path, key].join('\n'))
    .digest();
  const request_hash = createHash('sha256').update(`${request.query}\n`).update(request.body).digest();
  return { id, request_hash, recorded: false };
}

/**
 * The stored answer of this key, if any.
 * @throws ApiError 409 when the key was used for a different request, or its request is still running
 */
export async function keptAnswer(key: { id: Buffer; request_hash: Buffer }): Promise<KeptAnswer | undefined> {
  const found = await queryOne<{ request_hash: Buffer; status: number | null; answer: Buffer | null; sealed: boolean }>(
    sql`SELECT request_hash, status, answer, sealed FROM idempotency_records
        WHERE id = ${key.id}::bytea AND expires_at > platform_now()`,
  );
  if (!found) return undefined;
  if (!found.request_hash.equals(key.request_hash)) {
    throw new ApiError(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was already used for a different request. Use a new key.',
    );
  }
  if (found.status === null) {
    throw new ApiError(
      'IDEMPOTENCY_IN_PROGRESS',
      'A request with this Idempotency-Key is still in progress. Retry it in a moment.',
    );
  }
  const answer = found.answer ?? Buffer.alloc(0);
  const body = found.sealed ? open(answer, key.id) : answer;
  return { status: found.status, body: Buffer.from(body).toString('utf8') };
}

/** Stores a successful answer as part of the statement that carries out the request. */
export function keepAnswer(call: Call, answer: { status: number; body: unknown } | undefined, from: Sql): Sql {
  const key = call.record.idempotency;
  if (!key || !answer) throw new Error(`${call.endpoint.operation_id} gave its statement no answer to keep`);
  const body = Buffer.from(answer.body === undefined ? '' : writeJson(answer.body));
  const sealed = call.endpoint.secret_answer;
  const row: Prisma.IdempotencyRecordUncheckedCreateInput = {
    id: new Uint8Array(key.id),
    request_hash: new Uint8Array(key.request_hash),
    status: answer.status,
    answer: new Uint8Array(sealed ? seal(body, key.id) : body),
    sealed,
    expires_at: new Date(call.at.getTime() + REPLAYED_FOR_MS),
  };
  // An expired record is replaced. Of two concurrent requests, the second waits for the first, then yields.
  return sql`${insert('idempotency_records', row, from)} ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash,
    status = excluded.status, answer = excluded.answer, sealed = excluded.sealed, expires_at = excluded.expires_at
    WHERE idempotency_records.expires_at <= platform_now() RETURNING 1`;
}

/** Takes the key for an endpoint that does not store its own answer. Returns false if another request holds it. */
export async function holdKey(key: { id: Buffer; request_hash: Buffer }, at: Date): Promise<boolean> {
  const row: Prisma.IdempotencyRecordUncheckedCreateInput = {
    id: new Uint8Array(key.id),
    request_hash: new Uint8Array(key.request_hash),
    status: null,
    sealed: false,
    expires_at: new Date(at.getTime() + RUNNING_AT_MOST_MS),
  };
  const held = await execute(
    sql`${insert('idempotency_records', row)} ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash, status = NULL,
        answer = NULL, sealed = false, expires_at = excluded.expires_at WHERE idempotency_records.expires_at <= platform_now()`,
  );
  return held === 1;
}

/** Stores the answer under a key taken by `holdKey`. */
export async function keepHeld(call: Call, answer: KeptAnswer): Promise<void> {
  const key = call.record.idempotency;
  if (!key) return;
  const body = Buffer.from(answer.body);
  const sealed = call.endpoint.secret_answer;
  await execute(
    sql`UPDATE idempotency_records SET status = ${answer.status}::int, answer = ${sealed ? seal(body, key.id) : body}::bytea,
        sealed = ${sealed}::boolean, expires_at = ${new Date(call.at.getTime() + REPLAYED_FOR_MS)}::timestamptz
        WHERE id = ${key.id}::bytea AND status IS NULL`,
  );
}

/** Frees the key of a refused or failed request, so that a retry is a new request. */
export async function freeKey(key: { id: Buffer }): Promise<void> {
  await execute(sql`DELETE FROM idempotency_records WHERE id = ${key.id}::bytea AND status IS NULL`);
}
