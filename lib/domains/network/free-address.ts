import { query, queryOne } from '@/lib/core/db/pool';
import { type Sql, sql } from '@/lib/core/db/sql';
import { type AddressRange, toAddress, toNumber } from './ipv4';

/** Addresses of which each is given out once. */
export type AddressSpace = AddressRange & {
  id: string;
  /** Inside the range, and never given out. */
  gateway?: string;
  /** `SELECT … AS ip` (inet) of those that are given out, over an index that orders them. */
  taken: Sql;
};

/** Those who are given an address in this process now, by the id of the space: whoever comes meanwhile goes behind them. */
const crowds = new Map<string, { callers: number; given: Set<string> }>();

/**
 * Gives out a free address: the one behind the last, so that an address which was given back is not another's at once; a
 * random one when another process was sooner, or at the end of the range.
 * @param use keeps the address; undefined says that somebody else has just taken it
 * @returns what `use` said; undefined when no address is free
 */
export async function withFreeAddress<T>(
  space: AddressSpace,
  use: (address: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const crowd = crowds.get(space.id) ?? { callers: 0, given: new Set() };
  crowds.set(space.id, crowd);
  crowd.callers += 1;
  try {
    for (let way: 'next' | 'random' = 'next'; ; way = 'random') {
      const found = await findFree(space, way);
      if (found === undefined) return undefined;
      const address = way === 'next' ? behindGiven(space, found, crowd.given) : found;
      const used = await reserved(crowd.given, address, () => use(address));
      if (used !== undefined) return used;
    }
  } finally {
    crowd.callers -= 1;
    if (crowd.callers === 0) crowds.delete(space.id);
  }
}

/** What is given stays so for as long as anybody is there who may have looked before. */
async function reserved<T>(given: Set<string>, address: string, use: () => Promise<T | undefined>) {
  given.add(address);
  let used: T | undefined;
  try {
    used = await use();
  } finally {
    if (used === undefined) given.delete(address);
  }
  return used;
}

/** Only a guess at the end of the range: `use` finds out. */
function behindGiven({ last, gateway }: AddressSpace, found: string, given: ReadonlySet<string>): string {
  for (let number = toNumber(found); number <= last; number += 1) {
    const address = toAddress(number);
    if (!given.has(address) && address !== gateway) return address;
  }
  return found;
}

/** However many are taken, this looks at those from one on to the next gap. */
async function findFree(space: AddressSpace, way: 'next' | 'random'): Promise<string | undefined> {
  const first = toAddress(space.first);
  const last = toAddress(space.last);
  const random = toAddress(space.first + Math.floor(Math.random() * (space.last - space.first + 1)));
  const behindLast = sql`SELECT CASE WHEN last.ip IS NULL THEN ${first}::inet WHEN last.ip < ${last}::inet THEN last.ip + 1
    ELSE ${random}::inet END AS ip FROM (SELECT max(taken.ip) AS ip FROM (${space.taken}) AS taken) AS last`;
  const found = await queryOne<{ ip: string | null }>(sql`
    WITH start AS MATERIALIZED (${way === 'next' ? behindLast : sql`SELECT ${random}::inet AS ip`})
    SELECT host(coalesce(${freeFrom(space, sql`(SELECT ip FROM start)`)}, ${freeFrom(space, sql`${first}::inet`)})) AS ip`);
  return found?.ip ?? undefined;
}

/**
 * SQL: the first free address from `start` on, null when there is none. It is `start`, or stands behind one that is not
 * free; the window reads the index in order, and only as far as that gap.
 */
function freeFrom({ last, gateway, taken }: AddressSpace, start: Sql): Sql {
  const end = sql`${toAddress(last)}::inet`;
  const gatewayIp = sql`${gateway ?? null}::inet`;
  const isFree = (ip: Sql) =>
    sql`${ip} BETWEEN ${start} AND ${end} AND ${ip} IS DISTINCT FROM ${gatewayIp}
      AND NOT EXISTS (SELECT FROM (${taken}) AS other WHERE other.ip = ${ip})`;
  return sql`least(
    CASE WHEN ${isFree(start)} THEN ${start} END,
    CASE WHEN ${isFree(sql`${gatewayIp} + 1`)} THEN ${gatewayIp} + 1 END,
    (SELECT gap.ip FROM (
        SELECT before.ip + 1 AS ip, lead(before.ip) OVER (ORDER BY before.ip) AS next
        FROM (${taken}) AS before WHERE before.ip >= ${start}
      ) AS gap
      WHERE gap.next IS DISTINCT FROM gap.ip AND gap.ip IS DISTINCT FROM ${gatewayIp} AND gap.ip <= ${end} LIMIT 1))`;
}

/** Addresses that one look considers: enough for every usual network, and soon done in the widest. */
const WINDOW = 4096;

/**
 * Several free addresses, from a random place of the range on; fewer when there are no more. The write that uses them
 * finds out whether another one was sooner.
 */
export async function freeAddresses({ first, last, gateway, taken }: AddressSpace, count: number): Promise<string[]> {
  const size = last - first + 1;
  const start = Math.floor(Math.random() * size);
  const rows = await query<{ ip: string }>(sql`
    SELECT host(free.ip) AS ip FROM (
      SELECT n, ${toAddress(first)}::inet + ((${start}::int + n) % ${size}::int) AS ip
      FROM generate_series(0, ${Math.min(size, WINDOW) - 1}::int) AS n) AS free
    WHERE free.ip IS DISTINCT FROM ${gateway ?? null}::inet AND NOT EXISTS (SELECT FROM (${taken}) AS other WHERE other.ip = free.ip)
    ORDER BY free.n LIMIT ${count}::int`);
  return rows.map(({ ip }) => ip);
}
