import { z } from 'zod';
import { raw } from '@/lib/core/db/sql';
import { bucketEnd } from '@/lib/core/devices/durations';
import { settings } from '@/lib/settings';
import { verificationOf } from './hosts';
import type { Backend, Rollout, RolloutState, Route, RouteStatus, Traffic } from './schema';

/** A backend as its route's row has it. */
export const storedBackend = z.object({
  name: z.string(),
  weight: z.int(),
  url: z.string().nullable(),
  instance_id: z.string().nullable(),
  load_balancer_id: z.string().nullable(),
  /** Absent in rows of earlier releases. */
  function_id: z.string().nullable().optional(),
  port: z.int().nullable(),
});
export type StoredBackend = z.output<typeof storedBackend>;

/** What was last observed of each backend. */
export type Health = Readonly<
  Record<string, { status: 'up' | 'down' | 'unknown'; reason: string | null; ip?: string }>
>;

/** A rollout as its route's row has it. */
export type StoredRollout = Omit<Rollout, 'state' | 'step' | 'step_started_at' | 'reason'>;

export type RouteRow = {
  id: string;
  project_id: string;
  name: string;
  host: string;
  path_prefix: string;
  strip_prefix: boolean;
  request_timeout_s: number | null;
  sticky: boolean;
  tls_certificate_id: string | null;
  backends: StoredBackend[];
  health: Health;
  status: RouteStatus;
  status_reason: string | null;
  is_outside: boolean;
  rollout: StoredRollout | null;
  rollout_state: RolloutState | null;
  rollout_step: number | null;
  rollout_step_at: Date | string | null;
  rollout_reason: string | null;
  traffic: { backend: string; requests: number; errors: number; bucket: number | null }[];
  created_at: Date | string;
  updated_at: Date | string;
};

/** By backend, of the rows of `gateway_traffic t` that a condition names: requests, errors and the bucket of the 99th percentile. */
export const trafficBy = (
  condition: string,
) => `SELECT backend, sum(requests)::float8 AS requests, sum(errors)::float8 AS errors,
    min(bucket) FILTER (WHERE upto >= 0.99 * total) AS bucket
  FROM (SELECT t.backend, t.bucket, sum(t.requests) AS requests, sum(t.errors) AS errors,
      sum(sum(t.requests)) OVER (PARTITION BY t.backend ORDER BY t.bucket) AS upto, sum(sum(t.requests)) OVER (PARTITION BY t.backend) AS total
    FROM gateway_traffic t WHERE ${condition} GROUP BY t.backend, t.bucket) AS counted GROUP BY backend`;

export const routeColumns =
  raw(`r.id, r.project_id, r.name, r.host, r.path_prefix, r.strip_prefix, r.request_timeout_s, r.sticky,
  r.tls_certificate_id, r.backends, r.health, r.status, r.status_reason, r.rollout, r.rollout_state, r.rollout_step, r.rollout_step_at,
  r.rollout_reason, r.created_at, r.updated_at,
  EXISTS (SELECT FROM gateway_hosts h WHERE h.project_id = r.project_id AND h.host = r.host) AS is_outside,
  (SELECT coalesce(jsonb_agg(to_jsonb(part)), '[]') FROM (
    ${trafficBy("t.route_id = r.id AND t.at > platform_now() - interval '5 minutes'")}) AS part) AS traffic`);
export const routeTable = raw('gateway_routes r');

/** Prefixes are stored with a slash at their end. */
export const storedPrefix = (prefix: string) => (prefix === '/' ? '/' : `${prefix}/`);
export const shownPrefix = (stored: string) => (stored === '/' ? '/' : stored.slice(0, -1));

/** The address of a route for browsers. */
function urlOf({ host, path_prefix, tls_certificate_id }: RouteRow): string {
  const { gatewayHttpPort, gatewayHttpsPort } = settings();
  const isSecure = tls_certificate_id !== null;
  const port = isSecure ? gatewayHttpsPort : gatewayHttpPort;
  const shown = port === (isSecure ? 443 : 80) ? '' : `:${port}`;
  return `${isSecure ? 'https' : 'http'}://${host}${shown}${shownPrefix(path_prefix)}`;
}

const backendOf = (backend: StoredBackend, health: Health): Backend => ({
  ...backend,
  function_id: backend.function_id ?? null,
  status: health[backend.name]?.status ?? 'unknown',
  status_reason: health[backend.name]?.reason ?? null,
});

function rolloutOf(row: RouteRow): Rollout | null {
  const { rollout, rollout_state, rollout_step, rollout_step_at, rollout_reason } = row;
  if (!rollout || !rollout_state) return null;
  return {
    ...rollout,
    state: rollout_state,
    step: (rollout_step ?? 0) + 1,
    step_started_at: new Date(rollout_step_at ?? 0).toISOString(),
    reason: rollout_reason,
  };
}

const percentOf = (part: number, all: number) => (all === 0 ? 0 : Math.round((part / all) * 10_000) / 100);

function trafficOf({ traffic, backends }: RouteRow): Traffic[] {
  const found = new Map(traffic.map((part) => [part.backend, part]));
  const counted = backends.map(
    ({ name }) => found.get(name) ?? { backend: name, requests: 0, errors: 0, bucket: null },
  );
  const all = counted.reduce((sum, { requests }) => sum + requests, 0);
  return counted.map(({ backend, requests, errors, bucket }) => ({
    backend,
    requests,
    share_percent: percentOf(requests, all),
    errors_percent: percentOf(errors, requests),
    p99_ms: bucket === null ? null : bucketEnd(bucket),
  }));
}

/** A route as the API answers it. */
export function viewRoute(row: RouteRow): Route {
  const { id, name, host, strip_prefix, request_timeout_s, sticky, tls_certificate_id, status, status_reason } = row;
  return {
    id,
    name,
    host,
    path_prefix: shownPrefix(row.path_prefix),
    strip_prefix,
    request_timeout_s,
    sticky,
    tls_certificate_id,
    backends: row.backends.map((backend) => backendOf(backend, row.health)),
    status,
    status_reason,
    url: urlOf(row),
    verification: row.is_outside ? verificationOf(host, row.project_id) : null,
    traffic: trafficOf(row),
    rollout: rolloutOf(row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
