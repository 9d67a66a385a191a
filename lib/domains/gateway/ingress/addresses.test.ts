import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { Addresses } from './addresses';

const host = 'www.example.org';

/** Addresses with answers of DNS and a clock that the test sets. */
function world(allowed: string[] = []) {
  const dns = { answer: ['203.0.113.5'] as string[] | Error, asked: 0 };
  let at = 0;
  const addresses = new Addresses(
    {
      allowed,
      resolve: async () => {
        dns.asked += 1;
        if (dns.answer instanceof Error) throw dns.answer;
        return dns.answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    },
    () => at,
  );
  const look = async (seconds: number, before: [string, string][] = []) => {
    at += seconds * 1000;
    return (await addresses.resolve(new Set([host]), new Map(before))).get(host);
  };
  return { dns, look };
}
// 203.0.113.0/24 is for documentation, and counts as no public address.
const PUBLIC = '93.184.216.34';

test('a name that moves to a private address after its check is left at once', async () => {
  const { dns, look } = world();
  dns.answer = [PUBLIC];
  expect(await look(0)).toEqual({ ip: PUBLIC, reason: null });
  for (const address of [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
    '100.64.0.1',
    '0.0.0.0',
  ]) {
    dns.answer = [address];
    const found = await look(11);
    expect([found?.ip, found?.reason]).toEqual([null, expect.stringContaining('not on the public internet')]);
    dns.answer = [PUBLIC];
    expect((await look(11))?.ip).toBe(PUBLIC);
  }
});

test('one private address among several is enough to refuse', async () => {
  const { dns, look } = world();
  dns.answer = [PUBLIC, '10.0.0.1'];
  expect((await look(0))?.ip).toBeNull();
});

test('an address of this host is refused, unless the operator lists it', async () => {
  const own =
    Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address))[0] ?? '';
  for (const [allowed, ip] of [
    [[], null],
    [[own], own],
  ] as const) {
    const { dns, look } = world([...allowed]);
    dns.answer = [own];
    expect((await look(0))?.ip).toBe(ip);
  }
});

test('names are asked every ten seconds, and an address stays while it is among the answers', async () => {
  const { dns, look } = world();
  dns.answer = [PUBLIC];
  await look(0);
  await look(9);
  expect(dns.asked).toBe(1);
  dns.answer = ['93.184.216.35', PUBLIC];
  expect((await look(2))?.ip).toBe(PUBLIC);
  dns.answer = ['93.184.216.35'];
  expect((await look(11))?.ip).toBe('93.184.216.35');
});

test('while a name does not resolve, its address is kept for ten minutes, also over a restart', async () => {
  const { dns, look } = world();
  dns.answer = new Error('timeout');
  expect((await look(0, [[host, PUBLIC]]))?.ip).toBe(PUBLIC);
  expect((await look(9 * 60))?.ip).toBe(PUBLIC);
  expect(await look(2 * 60)).toEqual({ ip: null, reason: `${host} could not be resolved.` });
  dns.answer = [PUBLIC];
  expect((await look(11))?.ip).toBe(PUBLIC);
});
