import { ApiError } from '@/lib/core/api/errors';
import { execute, queryOne } from '@/lib/core/db/pool';
import { join, type Sql, sql } from '@/lib/core/db/sql';
import { sourceOf } from '@/lib/core/net/address';
import { Gate } from './gate';

/**
 * How many failures fit into how many minutes: of one account from one address, of one address altogether, and of the
 * second factor of one account, from wherever the codes come.
 */
export const failureLimits = {
  account: { most: 10, minutes: 15 },
  address: { most: 100, minutes: 15 },
  code: { most: 20, minutes: 24 * 60 },
} as const;

/** Whose attempt it is: the e-mail as given, whether or not such an account exists, and the address it comes from. */
export type Attempter = { account: string; address: string };

/** A counter of failures, and how many it holds. */
type Place = { key: string } & (typeof failureLimits)[keyof typeof failureLimits];

type Reservation = { keys: string[]; at: Date };

const gates = new Map<string, Gate>();

/**
 * Runs an attempt to prove a password or a code. Failures alone count, exactly and across replicas: the attempt takes
 * its place among the failures before it runs, and gives it back unless it throws INVALID_CREDENTIALS or TOTP_INVALID.
 * The account stays open to other addresses.
 * @throws ApiError 429 without running the attempt, when the last 15 minutes hold enough failures
 */
export async function guardAttempt<T>(attempter: Attempter, attempt: () => Promise<T>): Promise<T> {
  return inTurn(sourceOf(attempter.address), () => countFailure(placesOf(attempter), attempt));
}

/**
 * Runs an attempt to prove the second factor of an account. Failures count for the account, whatever address they come
 * from: codes are tried only after the right password, so nobody who does not know it can use the places up.
 * @throws ApiError 429 without running the attempt, when the last 24 hours hold enough failures
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

/** Few at a time from one address, so that right attempts made at once do not fill the places of failures. */
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

/** The rows, locked in one order by everyone. */
const locked = (keys: readonly string[]): Sql =>
  sql`SELECT key, failed_at FROM signin_failures WHERE key = ANY(${keys}::text[]) ORDER BY key FOR UPDATE`;

/**
 * Takes a place among the failures of account and address.
 * @throws ApiError 429 when there is none
 */
export function reserveAttempt(attempter: Attempter): Promise<Reservation> {
  return reserve(placesOf(attempter));
}

/** Takes a place in all of them or in none, in one statement over the locked rows. @throws ApiError 429 */
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
    // A row that was forgotten between the two statements is made again.
    if (!verdict?.present) continue;
    if (verdict.ok) return { keys, at: verdict.at };
    const seconds = Math.max(1, verdict.wait_s ?? 1);
    throw new ApiError('RATE_LIMITED', `Too many failed attempts. Try again in ${seconds} s.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
}

/** Rows can only be locked once they exist; whoever adds one sweeps out a few that are past their window. */
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

/** The attempt was no failure: its places are free again. */
async function giveBack({ keys, at }: Reservation): Promise<void> {
  await execute(sql`
    WITH k AS MATERIALIZED (${locked(keys)}),
    found AS MATERIALIZED (SELECT key, failed_at, array_position(failed_at, ${at}::timestamptz) AS place FROM k)
    UPDATE signin_failures f SET failed_at = found.failed_at[:place - 1] || found.failed_at[place + 1:]
    FROM found WHERE f.key = found.key AND found.place IS NOT NULL`);
}

/** The statement that forgets an account's failures, from whatever address, once its owner was given it back. */
export function forgetFailures(account: string): Sql {
  return sql`DELETE FROM signin_failures WHERE starts_with(key, ${`account:${account}|`}::text)`;
}

/**
 * The statement that forgets the wrong codes of an account, once they no longer help whoever tried them: with a new
 * password or another second factor. `from` decides, as in `insert`, and ends in a condition.
 */
export function forgetCodeFailures(userId: string, from: Sql): Sql {
  return sql`DELETE FROM signin_failures USING ${from} AND signin_failures.key = ${codeKey(userId)}::text`;
}
