import { expect, test } from 'vitest';
import { mapsOf, type ServedRoute, serverPath } from '../configuration';
import { changesOf, requestsOf } from './changes';
import { BackendPool } from './pool';
import type { Running } from './running';

const target = (port: number) => ({ kind: 'address', ip: '203.0.113.9', port, verify: null }) as const;

const route = (id: string, pool: number | null, port = 80, change: Partial<ServedRoute> = {}): ServedRoute => ({
  id,
  host: `${id}.example.org`,
  path_prefix: '/',
  strip_prefix: false,
  request_timeout_s: null,
  sticky: false,
  is_suspended: false,
  certificate_id: null,
  pool,
  backends: [{ name: 'web', weight: 1, target: target(port) }],
  ...change,
});

/** A process that serves exactly these routes, with the given leftovers of others. */
const serving = (routes: readonly ServedRoute[], left: Record<string, string> = {}): Running => ({
  structure: '64-x',
  maps: mapsOf(routes),
  servers: new Map([
    ...routes.flatMap((one) =>
      one.backends.map((backend): [string, Record<string, string>] => [
        serverPath(one, backend),
        { weight: String(backend.weight), status: 'UP', addr: '203.0.113.9:80' },
      ]),
    ),
    ...Object.entries(left).map(([path, status]): [string, Record<string, string>] => [path, { weight: '1', status }]),
  ]),
});

test('nothing is sent when everything is served as it should be', () => {
  const routes = [route('a', 0), route('b', 1)];
  expect(changesOf(serving(routes), routes)).toEqual({
    needed: [],
    leftovers: [],
    left: [],
    isImpossible: false,
    isConflicting: false,
  });
});

test('the certificate of a backend is checked by the health check, too', () => {
  const secure = { kind: 'address', ip: '203.0.113.9', port: 443, verify: 'api.example.org' } as const;
  const one = route('a', 0, 80, { backends: [{ name: 'web', weight: 1, target: secure }] });
  const [command] = changesOf(serving([]), [one]).needed;
  expect(command).toContain('verify required');
  expect(command).toContain('verifyhost api.example.org check-ssl check-sni api.example.org');
});

test('a new target is there before requests are led to it, and what is not served goes in the opposite order', () => {
  const [before, after] = [route('a', 0), route('b', 1, 81, { path_prefix: '/x;y/', strip_prefix: true })];
  const [old, fresh] = [before, after].map((one) => serverPath(one, one.backends[0] ?? { name: '', target: null }));
  const { needed, leftovers } = changesOf(serving([before]), [after]);
  expect(needed).toEqual([
    `add server ${fresh} 203.0.113.9:81 weight 1 check inter 2s fastinter 500ms fall 2 rise 1`,
    `enable health ${fresh}`,
    `enable server ${fresh}`,
    'add map /etc/service/places.map route-b pool-1||1|/x\\;y',
    'add map /etc/service/routes.map b.example.org/x\\;y/ route-b',
    'del map /etc/service/routes.map a.example.org/',
    'del map /etc/service/places.map route-a',
    `set server ${old} state maint`,
  ]);
  expect(leftovers).toEqual([`del server ${old}`]);
});

test('a route never enters a backend that has servers of another one', () => {
  const [a, b] = [route('a', 0), route('b', 1)];
  const conflicting = (...wanted: ServedRoute[]) => changesOf(serving([a, b]), wanted).isConflicting;
  expect(conflicting(route('a', 1), route('b', 0))).toBe(true);
  expect(conflicting(a, route('c', 1))).toBe(true);
  expect(conflicting(a, b, route('c', 2))).toBe(false);
  expect(conflicting(route('a', 0, 81), b)).toBe(false);
});

test('a server that waits for its connections is only tried to be deleted', () => {
  const { needed, left } = changesOf(serving([], { 'pool-3/web:1': 'MAINT' }), []);
  expect([needed, left]).toEqual([[], ['pool-3/web:1']]);
});

test('weights grow before others fall, so that a route is never without any', () => {
  const weighted = (one: number, two: number) =>
    route('a', 0, 80, {
      backends: [
        { name: 'one', weight: one, target: target(80) },
        { name: 'two', weight: two, target: target(81) },
      ],
    });
  const { needed } = changesOf(serving([weighted(1, 0)]), [weighted(0, 1)]);
  expect(needed.map((command) => command.replace(/:\w+/, ''))).toEqual([
    'set weight pool-0/two 1',
    'set weight pool-0/one 0',
  ]);
});

test('a route with sticky sessions is a backend of its own, whose servers only a reload brings', () => {
  const sticky = route('a', null, 80, { sticky: true });
  expect(changesOf(serving([]), [sticky]).isImpossible).toBe(true);
  expect(changesOf(serving([sticky]), [sticky]).isImpossible).toBe(false);
});

test('a worker that starts anew leaves all routes where they are', () => {
  const running = serving([route('a', 5), route('b', 0)]);
  const { size, numbers } = new BackendPool().allot(['b', 'a', 'c'], running);
  expect([size, [...numbers]]).toEqual([
    64,
    [
      ['b', 0],
      ['a', 5],
      ['c', 1],
    ],
  ]);
});

test('a backend in which another route still has a server is not given to a new one', () => {
  const running = serving([], { 'pool-0/web:1': 'MAINT', 'pool-1/web:2': 'UP' });
  expect([...new BackendPool().allot(['a'], running).numbers]).toEqual([['a', 2]]);
});

test('only more routes than the pool has backends make it larger, and it keeps its size', () => {
  const pool = new BackendPool();
  const ids = Array.from({ length: 65 }, (_, index) => `r${index}`);
  expect(pool.allot(ids.slice(0, 64), undefined).size).toBe(128);
  expect(pool.allot(ids, undefined).size).toBe(128);
  expect(pool.allot([], undefined).size).toBe(128);
  const { size, numbers } = new BackendPool().allot(ids, serving([]));
  expect([size, new Set(numbers.values()).size]).toEqual([128, 65]);
});

test('commands are sent in requests that HAProxy takes, none of them lost', () => {
  const commands = Array.from({ length: 500 }, (_, index) => `set weight pool-${index}/web:0123456789ab 1`);
  const requests = requestsOf(commands);
  expect(requests.flat()).toEqual(commands);
  expect(Math.max(...requests.map((request) => request.join(';').length))).toBeLessThan(16_000);
  expect(requestsOf([])).toEqual([]);
});
