import { z } from 'zod';
import { sortedQuery } from '@/lib/core/api/pagination';
import { displayName, id, reference, times, timestamp } from '@/lib/core/api/schemas';
import { tagFilter } from '@/lib/core/tags/schema';

export const routeStatuses = ['active', 'pending_verification', 'degraded', 'error'] as const;
export type RouteStatus = (typeof routeStatuses)[number];
export const rolloutStates = ['running', 'completed', 'rolled_back', 'stopped'] as const;
export type RolloutState = (typeof rolloutStates)[number];

const MOST_BACKENDS = 10;
const MOST_STEPS = 20;

const backendName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be up to 63 letters, digits, dots, dashes and underscores')
  .meta({ example: 'stable' });
const weight = z.int().min(0).max(100).meta({ description: 'Percent of the requests. All weights add to 100.' });
const port = z.int().min(1).max(65_535);
const percent = z.number().min(0).max(100);

const hostLabel = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const host = z
  .string()
  .max(253)
  .toLowerCase()
  .regex(new RegExp(`^${hostLabel}(\\.${hostLabel})+$`), 'must be a host name such as www.example.org')
  .meta({ description: 'A host name, without wildcards and port.', example: 'shop.demo.apps.localhost' });

/** Whole segments: `/api` is a prefix of `/api` and `/api/v1`, not of `/apis`. */
const pathPrefix = z
  .string()
  .max(500)
  .regex(
    /^\/[A-Za-z0-9._~!$&()*+,;=:@/-]*$/,
    'must start with / and have no spaces, quotes, % or other special characters',
  )
  .refine((path) => !path.includes('//'), 'must not have empty segments')
  .refine((path) => !/(^|\/)\.{1,2}(\/|$)/.test(path), 'must not have . or .. as a segment')
  .transform((path) => path.replace(/\/$/, '') || '/');

const newBackend = z
  .strictObject({
    name: backendName,
    weight,
    url: z.string().max(500).optional().meta({
      description: 'Origin on the internet: scheme, host and port. Requests keep their Host.',
      example: 'https://www.example.org',
    }),
    instance_id: reference.optional(),
    load_balancer_id: reference.optional(),
    function_id: reference.optional().meta({ description: 'The request becomes its event.' }),
    port: port.optional().meta({ description: 'Of the instance or load balancer.' }),
  })
  .refine(
    (body) =>
      [body.url, body.instance_id, body.load_balancer_id, body.function_id].filter((one) => one !== undefined)
        .length === 1,
    {
      path: ['url'],
      error: 'give one of url, instance_id, load_balancer_id and function_id',
    },
  )
  .refine((body) => (body.url === undefined && body.function_id === undefined) === (body.port !== undefined), {
    path: ['port'],
    error: 'is required with instance_id and load_balancer_id, and belongs into a url',
  })
  .meta({ id: 'NewRouteBackend' });
export type NewBackend = z.output<typeof newBackend>;

const newRollout = z
  .strictObject({
    to: backendName.meta({ description: 'The backend that gets more and more requests.' }),
    steps: z
      .array(z.int().min(1).max(100))
      .min(1)
      .max(MOST_STEPS)
      .default([5, 25, 50, 100])
      .refine((steps) => steps.every((step, index) => index === 0 || step > (steps[index - 1] ?? 0)), 'must increase')
      .meta({ description: 'Percent of the requests in each step.' }),
    interval_s: z.int().min(5).max(86_400).default(60).meta({ description: 'Duration of a step.' }),
    abort_above_errors_percent: percent.default(5).meta({
      description: 'Goes back to the weights of before when more of its responses in a step are 5xx.',
    }),
    abort_above_p99_ms: z.int().min(1).max(600_000).optional().meta({
      description: 'Goes back when its 99th percentile in a step is longer.',
    }),
  })
  .meta({ id: 'NewRollout' });

const hasTwice = <T>(values: readonly T[]) => new Set(values).size < values.length;

export const createRoute = z
  .strictObject({
    name: displayName,
    host,
    path_prefix: pathPrefix.default('/'),
    backends: z
      .array(newBackend)
      .min(1)
      .max(MOST_BACKENDS)
      .refine((backends) => !hasTwice(backends.map(({ name }) => name)), 'two backends have the same name')
      .refine((backends) => backends.reduce((sum, { weight }) => sum + weight, 0) === 100, 'weights must add to 100'),
    tls_certificate_id: reference.optional().meta({ description: 'Served for this host. Its names must cover it.' }),
    strip_prefix: z.boolean().default(false).meta({ description: 'Backends do not see `path_prefix`.' }),
    request_timeout_s: z.int().min(1).max(3600).optional().meta({
      description: 'A backend that has not responded by then is answered for with 504; 60 if absent.',
    }),
    sticky: z.boolean().default(false).meta({ description: 'Sends a client to the same backend again, by a cookie.' }),
    rollout: newRollout.optional(),
  })
  .refine(({ rollout, backends }) => !rollout || backends.some(({ name }) => name === rollout.to), {
    path: ['rollout', 'to'],
    error: 'must be one of the backends',
  })
  .refine(({ rollout, backends }) => !rollout || backends.length > 1, {
    path: ['rollout'],
    error: 'requires two backends',
  })
  .meta({
    id: 'CreateRoute',
    example: {
      name: 'shop',
      host: 'shop.example.org',
      path_prefix: '/',
      backends: [
        { name: 'stable', url: 'https://v1.example.org', weight: 95 },
        { name: 'canary', url: 'https://v2.example.org', weight: 5 },
      ],
    },
  });
export type CreateRoute = z.output<typeof createRoute>;

const backend = z
  .strictObject({
    name: backendName,
    weight,
    url: z.string().nullable(),
    instance_id: id.nullable(),
    load_balancer_id: id.nullable(),
    function_id: id.nullable(),
    port: port.nullable(),
    status: z.enum(['up', 'down', 'unknown']),
    status_reason: z.string().nullable(),
  })
  .meta({ id: 'RouteBackend' });
export type Backend = z.output<typeof backend>;

const rollout = z
  .strictObject({
    to: backendName,
    steps: z.array(z.int()),
    interval_s: z.int(),
    abort_above_errors_percent: percent,
    abort_above_p99_ms: z.int().nullable(),
    state: z.enum(rolloutStates).meta({
      description: '`rolled_back`: by itself, because a limit was exceeded. `stopped`: by a person or a newer change.',
    }),
    step: z.int().meta({ description: 'The current step, counted from 1.' }),
    step_started_at: timestamp,
    reason: z.string().nullable(),
  })
  .meta({ id: 'Rollout' });
export type Rollout = z.output<typeof rollout>;

const traffic = z
  .strictObject({
    backend: z.string(),
    requests: z.int(),
    share_percent: z.number(),
    errors_percent: z.number().meta({ description: 'Responses of class 5xx.' }),
    p99_ms: z.int().nullable(),
  })
  .meta({ id: 'RouteTraffic' });
export type Traffic = z.output<typeof traffic>;

export const route = z
  .strictObject({
    id,
    name: displayName,
    host: z.string(),
    path_prefix: z.string(),
    strip_prefix: z.boolean(),
    request_timeout_s: z.int().nullable(),
    sticky: z.boolean(),
    tls_certificate_id: id.nullable(),
    backends: z.array(backend),
    status: z.enum(routeStatuses).meta({
      description:
        '`pending_verification`: the host does not belong to the project yet. `degraded`: a backend is down, or the gateway ' +
        'does not serve the route yet. `error`: it cannot be served.',
    }),
    status_reason: z.string().nullable(),
    url: z.string().meta({ example: 'http://shop.demo.apps.localhost:8080/' }),
    verification: z
      .strictObject({ record: z.string(), value: z.string() })
      .nullable()
      .meta({ description: 'The TXT record that proves that the host belongs to the project.' }),
    traffic: z.array(traffic).meta({ description: 'Of the last five minutes.' }),
    rollout: rollout.nullable(),
    ...times,
  })
  .meta({ id: 'Route' });
export type Route = z.output<typeof route>;

export const routeQuery = sortedQuery(
  {
    name: z.string().max(100).optional().meta({ description: 'Exact name.' }),
    search: z.string().max(100).optional().meta({ description: 'Matches any part of the name or host.' }),
    status: z.enum(routeStatuses).optional(),
    host: z.string().max(253).toLowerCase().optional().meta({ description: 'Exact host.' }),
    tag: tagFilter,
  },
  ['name', 'host'],
);
