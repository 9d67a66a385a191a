import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints } from '@/lib/platform/endpoints';
import { type AnyEndpoint, endpoint, fullPath, type Method } from './endpoint';
import { serve } from './kernel';
import { endpointMatcher } from './routes';

/** A table of paths that overlap in all possible ways. */
const overlapping = (
  [
    ['GET', '/rules'],
    ['DELETE', '/rules/{id}'],
    ['GET', '/rules/special'],
    ['POST', '/rules/{id}/items'],
    ['GET', '/rules/special/items'],
    ['GET', '/objects/{key}'],
    ['POST', '/objects/presign'],
    ['GET', '/{ns}/{name}'],
  ] as const
).map(([method, path], index) =>
  endpoint({
    method,
    path,
    operation_id: `operation${index}`,
    summary: '',
    tag: 'Test',
    access: 'public',
    responses: { 204: null },
    handle: () => undefined,
  }),
);

/** The same paths served by the kernel; each answers with its name. */
function reached(table: readonly AnyEndpoint[]): (method: string, path: string) => Promise<string | undefined> {
  const named = table.map((each): AnyEndpoint => {
    const open = { access: 'public', params: undefined, body: undefined, upload: undefined } as const;
    const handle = () => new Response(null, { headers: { 'X-Reached': each.operation_id } });
    return { ...each, ...open, query: z.looseObject({}), audit: undefined, handle };
  });
  const app = serve(named, async () => undefined);
  let client = 0;
  return async (method, path) => {
    client += 1;
    // A client address each, to stay below the rate limit.
    const incoming = { socket: { remoteAddress: `10.0.${client >> 8}.${client & 255}` } };
    const { headers } = await app.fetch(new Request(`http://localhost${path}`, { method }), { incoming });
    return headers.get('x-reached') ?? undefined;
  };
}

const methods: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

describe.each([
  ['the API', endpoints],
  ['overlapping paths', overlapping],
])('the endpoint matcher, for %s,', (_, table) => {
  const match = endpointMatcher(table);
  const serves = reached(table);
  const segments = [...new Set(table.flatMap((each) => fullPath(each).split('/').slice(1)))];
  const segment = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...segments) },
    fc.constantFrom(
      'x',
      '',
      '.',
      '..',
      '%2F',
      '%2e%2e',
      'a%20b',
      '%',
      '%zz',
      'é',
      '{id}',
      ':id',
      '*',
      'a;b',
      'a?b=/c',
      'a#b',
    ),
    fc.uuid(),
  );
  const path = fc.oneof(
    fc.array(segment, { minLength: 1, maxLength: 8 }).map((parts) => `/${parts.join('/')}`),
    fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => `/api/v1/${parts.join('/')}`),
    fc.tuple(fc.constantFrom(...table.map(fullPath)), segment).map(([known, part]) => known.replace(/\{\w+\}/g, part)),
    fc
      .tuple(fc.constantFrom(...table.map(fullPath)), fc.constantFrom('/', '//', '?x=1', '/x'))
      .map((parts) => parts.join('')),
  );

  test('agrees with the router on every endpoint of the table', async () => {
    for (const each of table) {
      const concrete = fullPath(each).replace(/\{\w+\}/g, '01940f3c-7b1e-7c52-9a3f-5d1c2b3a4e5f');
      expect(match(each.method, concrete)?.operation_id, concrete).toBe(await serves(each.method, concrete));
      expect(match('HEAD', concrete)?.operation_id).toBe(match('GET', concrete)?.operation_id);
    }
  });

  test('agrees with the router on any path', async () => {
    const property = fc.asyncProperty(fc.constantFrom(...methods), path, async (method, given) => {
      expect(match(method, given)?.operation_id).toBe(await serves(method, given));
    });
    await fc.assert(property, { numRuns: 1000 });
  });
});

test('every endpoint of the API can be reached: none is hidden by an earlier one', () => {
  const match = endpointMatcher(endpoints);
  for (const each of endpoints) expect(match(each.method, fullPath(each))).toBe(each);
});

test('a malformed path matches nothing', () => {
  const match = endpointMatcher(endpoints);
  for (const path of ['', 'vault/secrets', 'http://evil.example/', '//evil.example/api/v1/vault/secrets']) {
    expect(match('GET', path), path).toBeUndefined();
  }
});
