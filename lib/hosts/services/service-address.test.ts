import { rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '@/lib/core/db/id';
import { engineOf, replaceEngines } from '@/lib/engines/engines';
import { MemoryEngines } from '@/lib/testing/memory-engines';
import { platformAccess, ServiceAddresses } from './service-address';

const CELL = 'test-host';

let web: Server;
let addresses: ServiceAddresses;

beforeAll(async () => {
  web = createServer((_, response) => response.end('the platform'));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  replaceEngines(new MemoryEngines());
  addresses = new ServiceAddresses(CELL, { host: '127.0.0.1', port: (web.address() as AddressInfo).port });
});
afterEach(() => addresses.stop());
afterAll(() => {
  web.close();
});

/** What a guest behind the router gets; an error's code where nobody answers. */
function called(routerId: string): Promise<string> {
  const socketPath = engineOf(CELL).network.serviceSocket(routerId);
  return new Promise((resolve) => {
    const headers = { Host: 'platform.internal', Connection: 'close' };
    const call = request({ socketPath, path: '/api/v1/auth/me', headers });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    call.on('response', async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve(body);
    });
    call.end();
  });
}

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
  expect(from('acme')).toMatch(/^127\.(22[4-9]|2[34]\d|25[0-3])\./);
});
