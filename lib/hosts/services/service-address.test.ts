import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { engineOf, replaceEngines } from '@/lib/engines/engines';
import { isCallersAddress } from '@/lib/service-address';
import { getOverSocket, listenOnLoopback } from '@/lib/testing/loopback';
import { MemoryEngines } from '@/lib/testing/memory-engines';
import { platformAccess, ServiceAddresses } from './service-address';

const CELL = 'test-host';

const web = createServer((_, response) => response.end('the platform'));
let port = 0;
let addresses: ServiceAddresses;

beforeAll(async () => {
  port = await listenOnLoopback(web);
});
beforeEach(() => {
  replaceEngines(new MemoryEngines());
  addresses = new ServiceAddresses(CELL, { host: '127.0.0.1', port });
});
afterEach(() => addresses.stop());
afterAll(() => {
  web.close();
});

/** The answer that a guest behind the router gets, or the error code. */
const called = (routerId: string) =>
  getOverSocket(engineOf(CELL).network.serviceSocket(routerId), '/api/v1/auth/me', { Host: 'platform.internal' });

test('the service address is answered behind each router of the cell, and behind no other', async () => {
  const [one, two] = [newId(), newId()];
  await addresses.ensure(new Set([one, two]));
  expect([await called(one), await called(two)]).toEqual(['the platform', 'the platform']);
  await addresses.ensure(new Set([two]));
  expect(await called(one)).toMatch(/ENOENT|ECONNREFUSED/);
  expect(await called(two)).toBe('the platform');
});

test('the service address is answered again behind a router that was removed and has come back', async () => {
  const router = newId();
  await addresses.ensure(new Set([router]));
  rmSync(engineOf(CELL).network.serviceSocket(router));
  await addresses.ensure(new Set([router]));
  expect(await called(router)).toBe('the platform');
});

test('calls of one owner come from one loopback address, and those of others from another', () => {
  const from = (owner: string) => platformAccess(owner).from;
  const owners = Array.from({ length: 200 }, () => newId());
  expect(new Set(owners.map(from)).size).toBe(200);
  expect(from('acme')).toBe(from('acme'));
  expect(owners.map((owner) => from(owner) ?? '').filter((address) => !isCallersAddress(address))).toEqual([]);
  expect(['127.0.0.1', '127.223.1.1', '127.254.1.1', '10.230.1.1', '::1'].filter(isCallersAddress)).toEqual([]);
});
