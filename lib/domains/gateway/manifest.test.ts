import { BackendTLSPolicy } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/BackendTLSPolicy';
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import fc from 'fast-check';
import { EndpointSlice } from 'kubernetes-models/discovery.k8s.io/v1/EndpointSlice';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, test } from 'vitest';
import { runs } from '@/lib/testing/samples';
import { manifestOf } from './manifest';
import type { Route } from './schema';

type Kind = 'HTTPRoute' | 'BackendTLSPolicy' | 'Service' | 'EndpointSlice';
type Made = { kind: Kind; metadata: { name: string }; spec: Record<string, unknown> };

/** What checks an object by the published schema of its kind. */
const schemas: Record<Kind, (object: never) => { validate(): void }> = {
  HTTPRoute: (object) => new HTTPRoute(object),
  BackendTLSPolicy: (object) => new BackendTLSPolicy(object),
  Service: (object) => new Service(object),
  EndpointSlice: (object) => new EndpointSlice(object),
};
const check = (object: object) => schemas[(object as Made).kind](object as never).validate();

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const host = fc.tuple(label, label).map(([first, second]) => `${first}.${second}.example`);
const origin = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.oneof(
      host,
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
    ),
    port: fc.option(fc.integer({ min: 1, max: 65_535 })),
  })
  .map(({ scheme, host: name, port }) => `${scheme}://${name}${port === null ? '' : `:${port}`}`)
  .filter((url) => URL.canParse(url));

const ID = '01a2092c-e281-7362-ac63-6d3bc70997aa';
const none = { url: null, instance_id: null, load_balancer_id: null, function_id: null, port: null };
const target = fc.oneof(
  origin.map((url) => ({ ...none, url })),
  fc.integer({ min: 1, max: 65_535 }).map((port) => ({ ...none, instance_id: ID, port })),
  fc.constant({ ...none, function_id: ID }),
);

const route: fc.Arbitrary<Route> = fc.record({
  id: fc.uuid(),
  name: fc.string({ minLength: 1, maxLength: 120, unit: 'grapheme' }),
  host: fc.oneof(
    host,
    host.map((name) => `*.${name}`),
  ),
  path_prefix: fc.array(label, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`),
  strip_prefix: fc.boolean(),
  request_timeout_s: fc.option(fc.integer({ min: 1, max: 3600 })),
  sticky: fc.boolean(),
  tls_certificate_id: fc.option(fc.constant(ID)),
  backends: fc.array(
    fc
      .record({ name: fc.string({ minLength: 1, maxLength: 60 }), weight: fc.integer({ min: 0, max: 100 }), target })
      .map(({ target: to, ...backend }) => ({ ...backend, ...to, status: 'up' as const, status_reason: null })),
    { minLength: 1, maxLength: 10 },
  ),
  status: fc.constant('active'),
  status_reason: fc.constant(null),
  url: fc.constant(''),
  verification: fc.constant(null),
  traffic: fc.constant([]),
  rollout: fc.constant(null),
  created_at: fc.constant(''),
  updated_at: fc.constant(''),
});

test('the manifest of any route passes the published schemas', () => {
  fc.assert(
    fc.property(route, (given) => {
      const objects = manifestOf(given) as Made[];
      for (const object of objects) check(object);
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
    }),
    { numRuns: runs(200, 5_000) },
  );
});

test('the schemas refuse what Kubernetes refuses', () => {
  const [made] = fc.sample(route, { numRuns: 1, seed: 1 });
  if (!made) throw new Error('no route');
  expect(() => manifestOf({ ...made, host: 'Upper.example' }).forEach(check)).toThrow(/hostnames/);
  expect(() => manifestOf({ ...made, request_timeout_s: 1.5 }).forEach(check)).toThrow(/timeouts/);
});
