import { networkInterfaces } from 'node:os';
import type { Estimate, ProjectCall } from '@/lib/core/api/endpoint';
import { Reply } from '@/lib/core/api/endpoint';
import { conflict, invalid, noSuch, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { isId, newId } from '@/lib/core/db/id';
import { databaseError, query, queryOne } from '@/lib/core/db/pool';
import { insert, raw, type Sql, sql } from '@/lib/core/db/sql';
import { deviceDelete, deviceInsert } from '@/lib/core/devices/device';
import { requireOutgoingUrl } from '@/lib/core/net/checked-fetch';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { coversHost } from '@/lib/domains/certificates/names';
import { certificateUseRows, findCertificates } from '@/lib/domains/certificates/uses';
import { instancesAmong } from '@/lib/domains/compute/fragments';
import { functionsAmong } from '@/lib/domains/functions/fragments';
import { balancersAmong } from '@/lib/domains/loadbalancing/fragments';
import { settleRouter } from '@/lib/domains/network/floating-ips';
import { routerInCell } from '@/lib/domains/network/fragments';
import { ensureProjectNetworking } from '@/lib/domains/network/project-networking';
import { place } from '@/lib/hosts/engine-reports/placement';
import { settings } from '@/lib/settings';
import { type HostKind, hostKind, platformHosts } from './hosts';
import { weightsAt, weightsOf, withWeights } from './rollout';
import { type CreateRoute, type Route, type RouteStatus, routeQuery } from './schema';
import {
  type RouteRow,
  routeColumns,
  routeTable,
  type StoredBackend,
  type StoredRollout,
  shownPrefix,
  storedPrefix,
  viewRoute,
} from './view';

/** Why a new route is not active yet. */
export const NOT_SERVED = 'The gateway does not serve this version yet.';
/** Why a route waits for its host. */
export const NOT_VERIFIED = 'The TXT record of the host has not been found yet.';

export const listRoutes = listOf({
  query: routeQuery,
  columns: routeColumns,
  from: routeTable,
  id: 'r.id',
  where: ofProject('r'),
  filters: {
    name: equals('r.name'),
    search: contains('r.name', 'r.host'),
    status: equals('r.status'),
    host: equals('r.host'),
    tag: hasTags('r'),
  },
  sort: { name: 'r.name', host: 'r.host' },
  view: (row: RouteRow) => viewRoute(row),
});

const findRow = (call: ProjectCall, condition: Sql) =>
  queryOne<RouteRow>(sql`SELECT ${routeColumns} FROM ${routeTable}
    WHERE r.project_id = ${call.project_id}::uuid AND ${condition}`);

async function readRow(call: ProjectCall, id: string): Promise<RouteRow> {
  const row = await findRow(call, sql`r.id = ${id}::uuid`);
  if (!row) throw notFound('The route');
  return row;
}

/** One route with its traffic of the last five minutes. @throws ApiError 404 */
export const readRoute = async (call: ProjectCall, id: string): Promise<Route> => viewRoute(await readRow(call, id));

/** A route as it should be, checked. */
type Planned = {
  input: CreateRoute;
  prefix: string;
  kind: HostKind;
  backends: StoredBackend[];
  before: Record<string, number>;
  rollout: StoredRollout | null;
  certificates: string[];
};

/** @throws ApiError 400 for hosts, addresses and certificates that the route may not use, 404 for what does not exist */
async function plan(call: ProjectCall, input: CreateRoute): Promise<Planned> {
  const project = await queryOne<{ slug: string }>(sql`SELECT slug FROM projects WHERE id = ${call.project_id}::uuid`);
  const kind = hostKind(project?.slug ?? '', input.host);
  await requireBackends(call, input);
  const certificates = await requireCertificate(call, input);
  const backends = input.backends.map(
    ({ name, weight, url, instance_id, load_balancer_id, function_id, port }): StoredBackend => ({
      name,
      weight,
      url: url ? new URL(url).origin : null,
      instance_id: instance_id?.toLowerCase() ?? null,
      load_balancer_id: load_balancer_id?.toLowerCase() ?? null,
      function_id: function_id?.toLowerCase() ?? null,
      port: port ?? null,
    }),
  );
  const before = weightsOf(backends);
  const rollout = input.rollout
    ? { ...input.rollout, abort_above_p99_ms: input.rollout.abort_above_p99_ms ?? null }
    : null;
  return {
    input,
    prefix: storedPrefix(input.path_prefix),
    kind,
    backends: rollout ? withWeights(backends, weightsAt(before, rollout, 0)) : backends,
    before,
    rollout,
    certificates,
  };
}

async function requireBackends(call: ProjectCall, { backends }: CreateRoute): Promise<void> {
  const ids = backends
    .flatMap(({ instance_id, load_balancer_id, function_id }) => instance_id ?? load_balancer_id ?? function_id ?? [])
    .filter(isId);
  const found = new Set(
    (
      await query<{ id: string }>(sql`
        SELECT 'instance ' || i.id AS id FROM ${instancesAmong(call.project_id, ids)}
        UNION ALL SELECT 'load_balancer ' || l.id FROM ${balancersAmong(call.project_id, ids)}
        UNION ALL SELECT 'function ' || f.id FROM ${functionsAmong(call.project_id, ids)}`)
    ).map(({ id }) => id),
  );
  for (const [index, { url, instance_id, load_balancer_id, function_id }] of backends.entries()) {
    const field = `backends.${index}`;
    if (url !== undefined) requireOrigin(`${field}.url`, url);
    if (instance_id !== undefined && !found.has(`instance ${instance_id.toLowerCase()}`))
      throw noSuch(`${field}.instance_id`, 'instance');
    if (load_balancer_id !== undefined && !found.has(`load_balancer ${load_balancer_id.toLowerCase()}`))
      throw noSuch(`${field}.load_balancer_id`, 'load balancer');
    if (function_id !== undefined && !found.has(`function ${function_id.toLowerCase()}`))
      throw noSuch(`${field}.function_id`, 'function');
  }
}

function requireOrigin(field: string, text: string): void {
  const url = requireOutgoingUrl(field, text);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw invalid(`${field}: must be scheme, host and port only; the path of a request is kept.`);
  const host = url.hostname.replace(/\.$/, '');
  const own = [...platformHosts(), settings().gatewayDomain];
  if (own.some((name) => host === name || host.endsWith(`.${name}`)) && !settings().allowPrivateUrls.includes(host))
    throw invalid(`${field}: ${host} belongs to the platform.`);
}

/** Public addresses of this host: a backend there would lead back to the platform. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));

async function requireCertificate(call: ProjectCall, { host, tls_certificate_id }: CreateRoute): Promise<string[]> {
  if (tls_certificate_id === undefined) return [];
  const [found] = await findCertificates(call.project_id, [tls_certificate_id.toLowerCase()]);
  if (!found) throw noSuch('tls_certificate_id', 'certificate');
  if (!coversHost(found.domains, host))
    throw invalid(`tls_certificate_id: certificate ${found.name} is for ${found.domains.join(', ')}, not for ${host}.`);
  return [found.id];
}

/** Routes cost nothing; a new one claims one of `api_gateways`. @throws ApiError as the create would */
export async function estimateRoute(call: ProjectCall, input: CreateRoute): Promise<Estimate> {
  await plan(call, input);
  const present = await findRow(call, sql`r.name = ${input.name}::text`);
  return { claims: present ? [] : [{ dimension: 'api_gateways', amount: 1 }], uses: [] };
}

/**
 * Creates a route, or replaces the one with this name as a whole.
 * @throws ApiError in the order 400/404, 409, 403 quota, 503
 */
export async function applyRoute(call: ProjectCall, input: CreateRoute): Promise<Reply<Route>> {
  const planned = await plan(call, input);
  const present = await findRow(call, sql`r.name = ${input.name}::text`);
  if (present) return new Reply(await replaceRoute(call, present, planned), { status: 200 });
  await ensureProjectNetworking(call.project_id);
  try {
    return new Reply(await insertRoute(call, planned), { status: 201 });
  } catch (error) {
    // Another request has just created it.
    if (databaseError(error)?.constraint !== 'gateway_routes_project_id_name_key') throw error;
    const created = await findRow(call, sql`r.name = ${input.name}::text`);
    if (!created) throw conflict(`Route ${input.name} has just been changed; try again.`);
    return new Reply(await replaceRoute(call, created, planned), { status: 200 });
  }
}

/** What a route has until the gateway has taken it over. */
async function firstStatus(call: ProjectCall, { kind, input }: Planned): Promise<[RouteStatus, string]> {
  if (kind === 'own') return ['degraded', NOT_SERVED];
  const verified = await queryOne(sql`SELECT FROM gateway_hosts
    WHERE project_id = ${call.project_id}::uuid AND host = ${input.host}::text AND status = 'verified'`);
  return verified ? ['degraded', NOT_SERVED] : ['pending_verification', NOT_VERIFIED];
}

const rolloutColumns = (call: ProjectCall, { rollout, before }: Planned) => ({
  rollout,
  rollout_state: rollout ? ('running' as const) : null,
  rollout_step: rollout ? 0 : null,
  rollout_step_at: rollout ? call.at : null,
  rollout_reason: null,
  rollout_before: rollout ? before : null,
});

const rowOf = (call: ProjectCall, id: string, planned: Planned, [status, status_reason]: [RouteStatus, string]) => ({
  id,
  project_id: call.project_id,
  name: planned.input.name,
  host: planned.input.host,
  path_prefix: planned.prefix,
  strip_prefix: planned.input.strip_prefix,
  request_timeout_s: planned.input.request_timeout_s ?? null,
  sticky: planned.input.sticky,
  tls_certificate_id: planned.certificates[0] ?? null,
  backends: planned.backends,
  status,
  status_reason,
  ...rolloutColumns(call, planned),
  created_at: call.at,
  updated_at: call.at,
});

async function insertRoute(call: ProjectCall, planned: Planned): Promise<Route> {
  const { project_id } = call;
  const { cell_id, refusal } = await place(project_id, ['network', 'services']);
  const id = newId();
  const row = rowOf(call, id, planned, await firstStatus(call, planned));
  const created = viewRoute({ ...row, health: {}, is_outside: planned.kind === 'outside', traffic: [] });
  await commit(call, {
    resource: { type: 'gateway_route', id, name: row.name },
    ...(cell_id === null
      ? {}
      : {
          target: routerInCell(cell_id),
          forbidden: () => 'The project has just been assigned another host. Try again.',
        }),
    taken: { ...placeTaken(project_id, planned, id), constraint: 'gateway_routes_project_id_host_path_prefix_key' },
    claims: [{ dimension: 'api_gateways', amount: 1 }],
    ...(refusal ? { room: { fits: raw('false'), refusal } } : {}),
    rows: {
      device: deviceInsert(project_id, id, 'gateway_route'),
      route: insert<Prisma.GatewayRouteUncheckedCreateInput>(
        'gateway_routes',
        {
          ...row,
          cell_id: cell_id ?? '',
          backends: row.backends,
          rollout: jsonOf(row.rollout),
          rollout_before: jsonOf(row.rollout_before),
        },
        ifAdmitted,
      ),
      ...hostRows(call, planned),
      ...certificateUseRows({ project_id, type: 'gateway_route', id, name: row.name }, planned.certificates),
      ...(cell_id === null ? {} : { settled: settleRouter(project_id, cell_id) }),
    },
    details: detailsOf(planned),
    answer: { status: 201, body: created },
  });
  return created;
}

const jsonOf = (value: unknown): Sql => (value === null ? raw('NULL') : sql`${JSON.stringify(value)}::jsonb`);

const detailsOf = ({ input, backends }: Planned) => ({
  host: input.host,
  path_prefix: input.path_prefix,
  weights: weightsOf(backends),
  ...(input.rollout ? { rollout_to: input.rollout.to } : {}),
});

const placeTaken = (projectId: string, { input, prefix }: Planned, id: string) => ({
  when: sql`EXISTS (SELECT FROM gateway_routes WHERE project_id = ${projectId}::uuid AND host = ${input.host}::text
    AND path_prefix = ${prefix}::text AND id <> ${id}::uuid AND name <> ${input.name}::text)`,
  message: `path_prefix: the project already has a route for ${input.host}${shownPrefix(prefix)}.`,
});

/** A host that is not below the gateway's domain waits until it is verified. It reserves nothing. */
function hostRows(call: ProjectCall, { kind, input }: Planned): Record<string, Sql> {
  if (kind === 'own') return {};
  return {
    host: sql`INSERT INTO gateway_hosts (project_id, host, status, next_check_at, created_at)
      SELECT ${call.project_id}::uuid, ${input.host}::text, 'pending', ${call.at}::timestamptz, ${call.at}::timestamptz FROM verdict WHERE verdict.ok
      ON CONFLICT (project_id, host) DO UPDATE SET next_check_at = least(gateway_hosts.next_check_at, excluded.next_check_at)
        WHERE gateway_hosts.status <> 'verified'`,
  };
}

/** A host that no other route of the project names. */
const hostReleased = (call: ProjectCall, id: string, host: string): Sql => sql`DELETE FROM gateway_hosts h USING verdict
  WHERE verdict.ok AND h.project_id = ${call.project_id}::uuid AND h.host = ${host}::text AND NOT EXISTS (
    SELECT FROM gateway_routes r WHERE r.project_id = h.project_id AND r.host = h.host AND r.id <> ${id}::uuid)`;

async function replaceRoute(call: ProjectCall, present: RouteRow, planned: Planned): Promise<Route> {
  const { id, name } = present;
  const { project_id } = call;
  const row = rowOf(call, id, planned, await firstStatus(call, planned));
  const changed = viewRoute({
    ...present,
    ...row,
    created_at: present.created_at,
    is_outside: planned.kind === 'outside',
  });
  await commit(call, {
    resource: { type: 'gateway_route', id, name },
    target: sql`SELECT true AS allowed, NULL::text AS state
      FROM k JOIN gateway_routes r ON r.project_id = k.project_id AND r.id = ${id}::uuid FOR UPDATE OF r`,
    taken: placeTaken(project_id, planned, id),
    rows: {
      route: sql`UPDATE gateway_routes SET host = ${row.host}::text, path_prefix = ${row.path_prefix}::text,
        strip_prefix = ${row.strip_prefix}::boolean, request_timeout_s = ${row.request_timeout_s}::int, sticky = ${row.sticky}::boolean,
        tls_certificate_id = ${row.tls_certificate_id}::uuid, backends = ${JSON.stringify(row.backends)}::jsonb,
        status = ${row.status}::text, status_reason = ${row.status_reason}::text, rollout = ${jsonOf(row.rollout)},
        rollout_state = ${row.rollout_state}::text, rollout_step = ${row.rollout_step}::int,
        rollout_step_at = ${row.rollout_step_at}::timestamptz, rollout_reason = NULL, rollout_before = ${jsonOf(row.rollout_before)},
        revision = gateway_routes.revision + 1, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND gateway_routes.id = ${id}::uuid`,
      ...hostRows(call, planned),
      ...(present.host === row.host ? {} : { host_released: hostReleased(call, id, present.host) }),
      ...certificateUseRows({ project_id, type: 'gateway_route', id, name }, planned.certificates),
    },
    details: detailsOf(planned),
    answer: { status: 200, body: changed },
  });
  return changed;
}

/** Deletes a route; requests for it are answered with 404 from then on. @throws ApiError 404 */
export async function deleteRoute(call: ProjectCall, id: string): Promise<void> {
  const { name, host } = await readRow(call, id);
  await commit(call, {
    resource: { type: 'gateway_route', id, name },
    target: sql`SELECT true AS allowed, NULL::text AS state
      FROM k JOIN gateway_routes r ON r.project_id = k.project_id AND r.id = ${id}::uuid FOR UPDATE OF r`,
    rows: {
      former: sql`INSERT INTO gateway_former_routes (id, project_id, name, backends, deleted_at)
        SELECT r.id, r.project_id, r.name, r.backends, ${call.at}::timestamptz FROM gateway_routes r, verdict
        WHERE verdict.ok AND r.id = ${id}::uuid`,
      route: sql`DELETE FROM gateway_routes USING verdict WHERE verdict.ok AND gateway_routes.id = ${id}::uuid`,
      host_released: hostReleased(call, id, host),
      device: deviceDelete(id),
    },
    release: true,
  });
}

/** Stops a rollout and restores the weights of before. @throws ApiError 404, 409 when none is running */
export async function rollBackRoute(call: ProjectCall, id: string): Promise<Route> {
  const row = await readRow(call, id);
  const stored = await queryOne<{ before: Record<string, number> | null }>(
    sql`SELECT rollout_before AS before FROM gateway_routes WHERE id = ${id}::uuid`,
  );
  const backends = withWeights(row.backends, stored?.before ?? weightsOf(row.backends));
  const reason = 'Stopped by hand.';
  const changed = viewRoute({
    ...row,
    backends,
    rollout_state: 'stopped',
    rollout_reason: reason,
    updated_at: call.at,
  });
  await commit(call, {
    resource: { type: 'gateway_route', id, name: row.name },
    target: sql`SELECT r.rollout_state IS NOT DISTINCT FROM 'running' AS allowed, coalesce(r.rollout_state, 'none') AS state
      FROM k JOIN gateway_routes r ON r.project_id = k.project_id AND r.id = ${id}::uuid FOR UPDATE OF r`,
    forbidden: () => `No rollout of route ${row.name} is running.`,
    rows: {
      route: sql`UPDATE gateway_routes SET backends = ${JSON.stringify(backends)}::jsonb, rollout_state = 'stopped',
        rollout_reason = ${reason}::text, revision = gateway_routes.revision + 1, updated_at = ${call.at}::timestamptz
        FROM verdict WHERE verdict.ok AND gateway_routes.id = ${id}::uuid`,
    },
    details: { weights: weightsOf(backends) },
    answer: { status: 200, body: changed },
  });
  return changed;
}
