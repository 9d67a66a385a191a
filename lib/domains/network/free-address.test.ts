import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';
import { type AddressSpace, withFreeAddress } from './free-address';
import { rangeOf, toAddress, toNumber } from './ipv4';

testDatabase();

const { first, last } = rangeOf('10.0.0.0/28');
const addresses = Array.from({ length: last - first + 1 }, (_, index) => toAddress(first + index));

function space(taken: readonly string[], gateway?: string): AddressSpace {
  const list = sql`SELECT ip FROM unnest(${taken}::inet[]) AS of (ip)`;
  return { id: 'a', first, last, taken: list, ...(gateway === undefined ? {} : { gateway }) };
}
const firstChoice = (from: AddressSpace) => withFreeAddress(from, async (address) => address);

/** As when another process was sooner: each address that is offered has just been taken. */
async function offers(from: AddressSpace, times: number): Promise<(string | undefined)[]> {
  const offered: string[] = [];
  await withFreeAddress(from, async (address) => (offered.push(address) < times ? undefined : address));
  return offered;
}

describe('an address that is given out', () => {
  test('is free and inside the range, at every try, and there is one as long as one is free', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(addresses),
        fc.option(fc.constantFrom(...addresses), { nil: undefined }),
        async (taken, gateway) => {
          const free = addresses.filter((address) => address !== gateway && !taken.includes(address));
          if (free.length === 0) expect(await firstChoice(space(taken, gateway))).toBeUndefined();
          else for (const address of await offers(space(taken, gateway), 4)) expect(free).toContain(address);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('stands behind the last, so that one which was given back is not another’s at once', async () => {
    expect(await firstChoice(space([]))).toBe('10.0.0.0');
    expect(await firstChoice(space([], '10.0.0.0'))).toBe('10.0.0.1');
    expect(await firstChoice(space(['10.0.0.2', '10.0.0.5']))).toBe('10.0.0.6');
    expect(await firstChoice(space(['10.0.0.2', '10.0.0.5'], '10.0.0.6'))).toBe('10.0.0.7');
  });

  test('is any free one at the end of the range, and the last that is left', async () => {
    const seen = new Set<string | undefined>();
    const from = space([toAddress(last)]);
    for (let round = 0; round < 100; round += 1) seen.add(await firstChoice(from));
    expect(seen.size).toBeGreaterThan(5);
    const allBut = (one: string) => addresses.filter((address) => address !== one);
    for (const one of addresses) expect(await firstChoice(space(allBut(one)))).toBe(one);
  });
});

test('callers of one process are given different addresses, one behind the other', async () => {
  const from = space(['10.0.0.1'], '10.0.0.4');
  const given = await Promise.all(Array.from({ length: 5 }, () => firstChoice(from)));
  expect(given.map((address) => toNumber(address ?? '') - first).toSorted((a, b) => a - b)).toEqual([2, 3, 5, 6, 7]);
});

test('an address that its caller did not keep is given to the next', async () => {
  const from = space([]);
  const refused = withFreeAddress(from, () => Promise.reject(new Error('over quota')));
  await expect(refused).rejects.toThrow('over quota');
  expect(await firstChoice(from)).toBe('10.0.0.0');
});
