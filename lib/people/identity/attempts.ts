import { ApiError } from '@/lib/core/api/errors';
import { execute, queryOne } from '@/lib/core/db/pool';
import { join, type Sql, sql } from '@/lib/core/db/sql';
import { sourceOf } from '@/lib/core/net/address';
import { Gate } from './gate';

/**
 * The permitted failures and their windows: of an account from one address, of an address in total, and of an account's
 * second factor from any address.
 */
export const failureLimits = {
  account: { most: 10, minutes: 15 },
  address: { most: 100, minutes: 15 },
  code: { most: 20, minutes: 24 * 60 },
} as const;

/** The source of an attempt: the e-mail as entered, whether or not the account exists, and the client address. */
export type Attempter = { account: string; address: string };

/** A counter of failures with its limit. */
type Place = { key: string } & (typeof failureLimits)[keyof typeof failureLimits];

type Reservation = { keys: string[]; at: Date };

const gates = new Map<string, Gate>();

/**
 * Runs an attempt to prove a password or code. Only failures count, exactly and across replicas: the attempt reserves a
 * place before it runs, and releases it unless it throws INVALID_CREDENTIALS or TOTP_INVALID. Other addresses can still
 * use the account.
 * @throws ApiError 429 without running the attempt, after too many failures within 15 minutes
 */
export async function guardAttempt<T>(attempter: Attempter, attempt: () => Promise<T>): Promise<T> {
  return inTurn(sourceOf(attempter.address), () => countFailure(placesOf(attempter), attempt));
}

/**
 * Runs an attempt to prove the second factor of an account. Failures count for the account from any address: codes are
 * tried only after the correct password, so nobody without the password can use up the places.
 * @throws ApiError 429 without running the attempt, after too many failures within 24 hours
 */
export function guardCode<T>(userId: string, attempt: () => Promise<T>): Promise<T> {
  return countFailure([{ key: codeKey(userId), ...failureLimits.code }], attempt);
}

async function countFailure<T>(places: readonly Place[], attempt: () => Promise<T>): Promise<T> {
  const reservation = await reserve(places);
  try {
    const result = await attempt();
    await giveBack(reservation);
    return result;
  } catch (error) {
    if (!isFailure(error)) await giveBack(reservation);
    throw error;
  }
}

function placesOf({ account, address }: Attempter): Place[] {
  const source = sourceOf(address);
  return [
    { key: `account:${account}|${source}`, ...failureLimits.account },
    { key: `address:${source}`, ...failureLimits.address },
  ];
}

const codeKey = (userId: string) => `code:${userId}`;

/** Limits concurrency per address, so that concurrent correct attempts do not occupy all places. */
async function inTurn<T>(source: string, work: () => Promise<T>): Promise<T> {
  const gate = gates.get(source) ?? new Gate(2, 200);
  gates.set(source, gate);
  try {
    return await gate.run(work);
  } finally {
    if (gate.idle) gates.delete(source);
  }
}

function isFailure(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'INVALID_CREDENTIALS' || error.code === 'TOTP_INVALID');
}

/** Selects and locks the rows in a fixed order. */
const locked = (keys: readonly string[]): Sql =>
  sql`SELECT key, failed_at FROM signin_failures WHERE key = ANY(${keys}::text[]) ORDER BY key FOR UPDATE`;

/**
 * Reserves a place for a failure of account and address.
 * @throws ApiError 429 when there is none
 */
export function reserveAttempt(attempter: Attempter): Promise<Reservation> {
  return reserve(placesOf(attempter));
}

/** Reserves a place in all counters or in none, in one statement over the locked rows. @throws ApiError 429 */
async function reserve(places: readonly Place[]): Promise<Reservation> {
  const keys = places.map(({ key }) => key);
  const limits = join(
    places.map(({ key, most, minutes }) => sql`(${key}::text, ${most}::int, make_interval(mins => ${minutes}::int))`),
    ', ',
  );
  for (;;) {
    await makeRows(keys);
    const verdict = await queryOne<{ present: boolean; ok: boolean; wait_s: number | null; at: Date }>(sql`
      WITH k AS MATERIALIZED (${locked(keys)}),
      recent AS MATERIALIZED (
        SELECT key, most, width, ARRAY(SELECT moment FROM unnest(failed_at) AS moment
                                       WHERE moment > platform_now() - width ORDER BY moment) AS moments
        FROM k JOIN (VALUES ${limits}) AS place (key, most, width) USING (key)),
      verdict AS MATERIALIZED (
        SELECT count(*) = ${keys.length}::int AS present, coalesce(bool_and(cardinality(moments) < most), false) AS ok,
          max(extract(epoch FROM moments[1 + cardinality(moments) - most] + width - platform_now()))
            FILTER (WHERE cardinality(moments) >= most) AS wait_s,
          date_trunc('milliseconds', platform_now()) AS at FROM recent),
      reserved AS (
        UPDATE signin_failures f SET failed_at = recent.moments || verdict.at, last_at = verdict.at
        FROM recent, verdict WHERE f.key = recent.key AND verdict.present AND verdict.ok)
      SELECT present, ok, ceil(wait_s)::int AS wait_s, at FROM verdict`);
    // The row was removed between the two statements and must be created again.
    if (!verdict?.present) continue;
    if (verdict.ok) return { keys, at: verdict.at };
    const seconds = Math.max(1, verdict.wait_s ?? 1);
    throw new ApiError('RATE_LIMITED', `Too many failed attempts. Try again in ${seconds} s.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
}

/** Creates missing rows, because only existing rows can be locked, and removes a few expired ones. */
async function makeRows(keys: readonly string[]): Promise<void> {
  const added = await execute(sql`
    INSERT INTO signin_failures (key, failed_at, last_at)
    SELECT key, '{}', platform_now() FROM unnest(${keys}::text[]) AS key ON CONFLICT DO NOTHING`);
  if (added === 0) return;
  const { account, code } = failureLimits;
  await execute(sql`
    DELETE FROM signin_failures WHERE key IN (
      SELECT key FROM signin_failures WHERE last_at < platform_now() - make_interval(mins => ${account.minutes}::int)
        AND (NOT starts_with(key, 'code:') OR last_at < platform_now() - make_interval(mins => ${code.minutes}::int))
      LIMIT 20 FOR UPDATE SKIP LOCKED)`);
}

/** Releases the places of an attempt that did not fail. */
async function giveBack({ keys, at }: Reservation): Promise<void> {
  await execute(sql`
    WITH k AS MATERIALIZED (${locked(keys)}),
    found AS MATERIALIZED (SELECT key, failed_at, array_position(failed_at, ${at}::timestamptz) AS place FROM k)
    UPDATE signin_failures f SET failed_at = found.failed_at[:place - 1] || found.failed_at[place + 1:]
    FROM found WHERE f.key = found.key AND found.place IS NOT NULL`);
}

/** The statement that clears an account's failures from all addresses, after its owner has recovered it. */
export function forgetFailures(account: string): Sql {
  return sql`DELETE FROM signin_failures WHERE starts_with(key, ${`account:${account}|`}::text)`;
}

/**
 * The statement that clears wrong codes of an account, once a new password or second factor makes them useless to an
 * attacker. `from` decides, as in `insert`, and ends in a condition.
 */
export function forgetCodeFailures(userId: string, from: Sql): Sql {
  return sql`DELETE FROM signin_failures USING ${from} AND signin_failures.key = ${codeKey(userId)}::text`;
}
