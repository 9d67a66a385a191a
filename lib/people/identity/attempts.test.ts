import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from '@/lib/core/api/errors';
import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { setTestClock } from '@/lib/testing/clock';
import { testDatabase } from '@/lib/testing/database';
import { failureLimits, guardAttempt, reserveAttempt } from './attempts';

testDatabase();
afterEach(async () => {
  await setTestClock(0);
  await execute(sql`TRUNCATE signin_failures`);
});

const MINUTE_MS = 60_000;
const here = { account: 'ada@example.test', address: '192.0.2.1' };
const wrong = () => Promise.reject(new ApiError('INVALID_CREDENTIALS', 'wrong'));
const right = () => Promise.resolve('right');
const outcome = (attempt: Promise<unknown>) => attempt.then(String, (error: ApiError) => error.code ?? String(error));

async function fail(times: number, attempter = here): Promise<void> {
  for (let i = 0; i < times; i++) expect(await outcome(guardAttempt(attempter, wrong))).toBe('INVALID_CREDENTIALS');
}

const recorded = () =>
  query<{ key: string; failures: number }>(
    sql`SELECT key, cardinality(failed_at) AS failures FROM signin_failures ORDER BY key`,
  );

describe('places for failed attempts', () => {
  test('admit exactly ten of fifty concurrent attempts, across replicas', async () => {
    const asked = await Promise.all(Array.from({ length: 50 }, () => outcome(reserveAttempt(here))));
    expect(asked.filter((answer) => answer !== 'RATE_LIMITED')).toHaveLength(failureLimits.account.most);
  });

  test('of an address admit exactly a hundred, whatever accounts are tried', async () => {
    const attempts = Array.from({ length: 130 }, (_, i) =>
      outcome(reserveAttempt({ ...here, account: `u${i}@example.test` })),
    );
    const asked = await Promise.all(attempts);
    expect(asked.filter((answer) => answer !== 'RATE_LIMITED')).toHaveLength(failureLimits.address.most);
  });
});

describe('the limit', () => {
  test('admits ten failures, then refuses without trying and says how long to wait', async () => {
    await fail(10);
    let tried = false;
    const refusal = guardAttempt(here, async () => {
      tried = true;
    });
    await expect(refusal).rejects.toMatchObject({ code: 'RATE_LIMITED', status: 429 });
    const wait = await refusal.catch((error: ApiError) => Number(error.headers['Retry-After']));
    expect(wait).toBeGreaterThan(14 * 60);
    expect(wait).toBeLessThanOrEqual(15 * 60);
    expect(tried).toBe(false);
  });

  test('counts failures only: successes and internal errors leave nothing behind', async () => {
    for (let i = 0; i < 15; i++) expect(await guardAttempt(here, right)).toBe('right');
    const fault = () => Promise.reject(new Error('the database is gone'));
    for (let i = 0; i < 15; i++) await outcome(guardAttempt(here, fault));
    const conflict = () => Promise.reject(new ApiError('CONFLICT', 'not now'));
    for (let i = 0; i < 15; i++) expect(await outcome(guardAttempt(here, conflict))).toBe('CONFLICT');
    expect((await recorded()).map(({ failures }) => failures)).toEqual([0, 0]);
    await fail(10);
  });

  test('does not refuse concurrent correct attempts', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => outcome(guardAttempt(here, right))));
    expect(new Set(all)).toEqual(new Set(['right']));
  });

  test('releases the place of its own attempt and of no other', async () => {
    await fail(3);
    await Promise.all([guardAttempt(here, right), guardAttempt(here, right), outcome(guardAttempt(here, wrong))]);
    expect((await recorded()).map(({ failures }) => failures)).toEqual([4, 4]);
  });

  test('never locks the account for other addresses, nor the address for other accounts', async () => {
    await fail(10);
    expect(await guardAttempt({ ...here, address: '192.0.2.2' }, right)).toBe('right');
    expect(await guardAttempt({ ...here, account: 'eve@example.test' }, right)).toBe('right');
  });

  test('slides: no fifteen minutes contain more than ten, and each place expires by itself', async () => {
    await fail(4);
    await setTestClock(10 * MINUTE_MS);
    await fail(6);
    await setTestClock(15 * MINUTE_MS + 1000);
    await fail(4);
    expect(await outcome(guardAttempt(here, right))).toBe('RATE_LIMITED');
    await setTestClock(25 * MINUTE_MS + 1000);
    expect(await guardAttempt(here, right)).toBe('right');
  });

  test('does not count an attempt against its address if the account refused it', async () => {
    await fail(10);
    for (let i = 0; i < 5; i++) await outcome(guardAttempt(here, wrong));
    expect(await recorded()).toEqual([
      { key: `account:${here.account}|${here.address}`, failures: 10 },
      { key: `address:${here.address}`, failures: 10 },
    ]);
  });

  test('counts all addresses of an IPv6 subscriber as one', async () => {
    for (let i = 0; i < 10; i++) await fail(1, { ...here, address: `2001:db8:1:2::${i + 1}` });
    expect(await outcome(guardAttempt({ ...here, address: '2001:db8:1:2:ffff::1' }, right))).toBe('RATE_LIMITED');
    expect(await outcome(guardAttempt({ ...here, address: '2001:db8:1:3::1' }, right))).toBe('right');
  });

  test('removes expired rows, so that they do not pile up', async () => {
    for (let i = 0; i < 5; i++) await fail(1, { account: `old${i}@example.test`, address: `198.51.100.${i}` });
    await setTestClock(16 * MINUTE_MS);
    await fail(1);
    expect((await recorded()).map(({ key }) => key)).toEqual([
      `account:${here.account}|${here.address}`,
      `address:${here.address}`,
    ]);
  });
});
