import ipaddr from 'ipaddr.js';
import { ApiError } from '@/lib/api/errors';
import { execute, queryOne } from '@/lib/db/pool';
import { raw, type Sql, sql } from '@/lib/db/sql';
import { Gate } from './gate';

/** How many failures fit into the window: of one account from one address, and from one address altogether. */
export const failureLimits = { account: 10, address: 100 } as const;
const failureWindow = raw(`interval '15 minutes'`);

/** Whose attempt it is: the e-mail as given, whether or not such an account exists, and the address it comes from. */
export type Attempter = { account: string; address: string };

type Reservation = { keys: [account: string, address: string]; at: Date };

const gates = new Map<string, Gate>();

/**
 * Runs an attempt to prove a password or a code. Failures alone count, exactly and across replicas: the attempt takes
 * its place among the failures before it runs, and gives it back unless it throws INVALID_CREDENTIALS or TOTP_INVALID.
 * The account stays open to other addresses.
 * @throws ApiError 429 without running the attempt, when the last 15 minutes hold enough failures
 */
export async function guardAttempt<T>(attempter: Attempter, attempt: () => Promise<T>): Promise<T> {
  const source = sourceOf(attempter.address);
  return inTurn(source, async () => {
    const reservation = await reserveAttempt(attempter);
    try {
      const result = await attempt();
      await giveBack(reservation);
      return result;
    } catch (error) {
      if (!isFailure(error)) await giveBack(reservation);
      throw error;
    }
  });
}

/** What an address counts as: itself, or the /64 that an IPv6 subscriber has to choose addresses from. */
function sourceOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}

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

/** Both rows, locked in one order by everyone. */
const locked = ([account, address]: Reservation['keys']): Sql =>
  sql`SELECT key, failed_at FROM signin_failures WHERE key IN (${account}::text, ${address}::text) ORDER BY key FOR UPDATE`;

/**
 * Takes a place among the failures of account and address, in one statement over the locked rows.
 * @throws ApiError 429 when there is none
 */
export async function reserveAttempt(attempter: Attempter): Promise<Reservation> {
  const source = sourceOf(attempter.address);
  const keys: Reservation['keys'] = [`account:${attempter.account}|${source}`, `address:${source}`];
  for (;;) {
    await makeRows(keys);
    const verdict = await queryOne<{ present: boolean; ok: boolean; wait_s: number | null; at: Date }>(sql`
      WITH k AS MATERIALIZED (${locked(keys)}),
      recent AS MATERIALIZED (
        SELECT key, CASE key WHEN ${keys[0]}::text THEN ${failureLimits.account}::int ELSE ${failureLimits.address}::int END AS most,
          ARRAY(SELECT moment FROM unnest(failed_at) AS moment
                WHERE moment > platform_now() - ${failureWindow} ORDER BY moment) AS moments FROM k),
      verdict AS MATERIALIZED (
        SELECT count(*) = 2 AS present, coalesce(bool_and(cardinality(moments) < most), false) AS ok,
          max(extract(epoch FROM moments[1 + cardinality(moments) - most] + ${failureWindow} - platform_now()))
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
    throw new ApiError('RATE_LIMITED', `Too many failed attempts; try again in ${seconds} s.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
}

/** Rows can only be locked once they exist; whoever adds one sweeps out a few that are past the window. */
async function makeRows([account, address]: Reservation['keys']): Promise<void> {
  const added = await execute(sql`
    INSERT INTO signin_failures (key, failed_at, last_at)
    VALUES (${account}::text, '{}', platform_now()), (${address}::text, '{}', platform_now()) ON CONFLICT DO NOTHING`);
  if (added === 0) return;
  await execute(sql`
    DELETE FROM signin_failures WHERE key IN (
      SELECT key FROM signin_failures WHERE last_at < platform_now() - ${failureWindow} LIMIT 20 FOR UPDATE SKIP LOCKED)`);
}

/** The attempt was no failure: its place is free again. */
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
