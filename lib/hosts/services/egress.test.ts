import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { engineOf, replaceEngines } from '@/lib/engines/engines';
import { getOverSocket, listenOnLoopback } from '@/lib/testing/loopback';
import { MemoryEngines } from '@/lib/testing/memory-engines';
import { serverSpec } from '@/lib/testing/service-spec';
import { EgressProxies } from './egress';
import type { ServiceSource, ServiceSpec } from './engine';
import { keepServices } from './keeper';

const outside = createServer((_, response) => response.end('hello'));
let port = 0;
let proxies: EgressProxies;

beforeAll(async () => {
  port = await listenOnLoopback(outside);
});
beforeEach(() => {
  replaceEngines(new MemoryEngines());
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  proxies = new EgressProxies('test-host', { allowed: ['127.0.0.1'], resolve }, [port], { host: '127.0.0.1', port });
});
afterEach(() => proxies.stop());
afterAll(() => {
  outside.close();
});

const service = (owner: string, change: Partial<ServiceSpec> = {}) => serverSpec({ egress: { owner }, ...change });

/** The answer that the service gets through its proxy, or the error code. */
function fetched({ id }: ServiceSpec, path = `http://example.test:${port}/`): Promise<string> {
  return getOverSocket(engineOf('test-host').services.egressSocket(id), path);
}

test('bytes count for the owner of a service, once, and also when its way out was closed since', async () => {
  const [one, two, other] = [service('acme'), service('acme'), service('globex')];
  await proxies.ensure([one, two, other]);
  for (const each of [one, two, other]) expect(await fetched(each)).toBe('hello');
  await proxies.ensure([one]);
  await proxies.stop();
  const counted = proxies.take();
  const [acme, globex] = [counted.get('acme'), counted.get('globex')];
  expect(globex?.receivedBytes).toBeGreaterThan(5);
  expect(acme).toEqual({
    sentBytes: 2 * (globex?.sentBytes ?? 0),
    receivedBytes: 2 * (globex?.receivedBytes ?? 0),
  });
  expect(proxies.take()).toEqual(new Map());
});

test('a service reaches the platform’s API and object storage, nothing else of it, and that is not egress', async () => {
  const spec = service('acme');
  await proxies.ensure([spec]);
  expect(await fetched(spec, 'http://platform.internal/api/v1/auth/me')).toBe('hello');
  for (const path of ['/metrics', '/admin/api/v1/tenants', '/']) {
    expect(await fetched(spec, `http://platform.internal${path}`)).toBe(
      'Only platform.internal/api/v1/, platform.internal:9000/ can be called here.\n',
    );
  }
  expect(proxies.take()).toEqual(new Map());
});

test('what a domain cannot write down is told to it again', async () => {
  const spec = service('acme');
  const told: number[] = [];
  let fails = true;
  const source: ServiceSource = {
    wantedServices: async () => [{ spec, isBusy: false }],
    stopOrder: 0,
    countEgress: async (counted) => {
      if (fails) throw new Error('the database is away');
      told.push(counted.get('acme')?.receivedBytes ?? 0);
    },
  };
  const ways = new Map([[source, proxies]]);
  await keepServices('test-host', [source], ways);
  expect(await fetched(spec)).toBe('hello');
  await vi.waitUntil(() =>
    keepServices('test-host', [source], ways).then(
      () => false,
      () => true,
    ),
  );
  fails = false;
  await vi.waitUntil(() => keepServices('test-host', [source], ways).then(() => told.length > 0));
  expect(told[0]).toBeGreaterThan(5);
});

test('a service has a way out while it should run and have one, and at no other time', async () => {
  const spec = service('acme');
  const { egress: _, ...closed } = spec;
  await proxies.ensure([closed]);
  expect(await fetched(spec)).toMatch(/ENOENT|ECONNREFUSED/);
  await proxies.ensure([spec]);
  expect(await fetched(spec)).toBe('hello');
  await proxies.ensure([{ ...spec, power: 'stopped' }]);
  expect(await fetched(spec)).toMatch(/ENOENT|ECONNREFUSED/);
  rmSync(engineOf('test-host').services.egressSocket(spec.id), { force: true });
});
