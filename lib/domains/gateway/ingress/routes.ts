import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { hasChallenges as challenges } from '@/lib/domains/certificates/fragments';
import { hasFunctionUrlIn, projectsOfFunctions } from '@/lib/domains/functions/fragments';
import { joinRouter, routers, wiredPorts } from '@/lib/domains/network/fragments';
import { isHostOwned } from '../hosts';
import type { RouteStatus } from '../schema';
import type { Health, StoredBackend } from '../view';

/** A route as the gateway of its cell reads it. */
export type CellRoute = {
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
  revision: number;
  served_revision: number;
  is_suspended: boolean;
  is_owned: boolean;
  /** Why the host does not belong to the project; null while that is unknown. */
  host_refusal: string | null;
};

/** All routes of a cell. */
export const routesOfCell = (cell: string) =>
  query<CellRoute>(sql`
    SELECT r.id, r.project_id, r.name, r.host, r.path_prefix, r.strip_prefix, r.request_timeout_s, r.sticky, r.tls_certificate_id,
      r.backends, r.health, r.status, r.status_reason, r.revision, r.served_revision, p.status = 'suspended' AS is_suspended,
      ${isHostOwned()} AS is_owned, (SELECT CASE WHEN h.status = 'refused' THEN h.status_reason END FROM gateway_hosts h
        WHERE h.project_id = r.project_id AND h.host = r.host) AS host_refusal
    FROM gateway_routes r JOIN projects p ON p.id = r.project_id WHERE r.cell_id = ${cell}::text ORDER BY r.id`);

/** Changes when a route does; far cheaper than reading all of them. */
export async function routesVersion(cell: string): Promise<string> {
  const [row] = await query<{ version: string }>(sql`
    SELECT concat_ws(' ', count(*), sum(revision), max(id::text), (SELECT count(*) FROM gateway_hosts WHERE status = 'verified')) AS version
    FROM gateway_routes WHERE cell_id = ${cell}::text`);
  return row?.version ?? '';
}

/** Where an instance or load balancer is reached, and from which router. */
export type Place = { id: string; project_id: string; router_id: string; ip: string };

/** The first address of each of these devices that has one in this cell. */
export const placesOf = (cell: string, ids: readonly string[]) =>
  query<Place>(sql`
    SELECT DISTINCT ON (p.device_id) p.device_id AS id, p.project_id, r.id AS router_id, host(p.ip) AS ip
    FROM ${wiredPorts} ${joinRouter('p')}
    WHERE r.cell_id = ${cell}::text AND p.device_id = ANY (${[...ids]}::uuid[]) ORDER BY p.device_id, p.id`);

/** The routers of a cell. */
export const routersOf = async (cell: string): Promise<string[]> =>
  (await query<{ id: string }>(sql`SELECT r.id FROM ${routers} WHERE r.cell_id = ${cell}::text`)).map(({ id }) => id);

/** The projects of those functions that exist. */
export async function functionsAmong(ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: string; project_id: string }>(projectsOfFunctions(ids));
  return new Map(rows.map(({ id, project_id }) => [id, project_id]));
}

/** Whether a function of a cell has an address. */
export async function hasFunctionUrls(cell: string): Promise<boolean> {
  const [row] = await query<{ found: boolean }>(sql`SELECT ${hasFunctionUrlIn(cell)} AS found`);
  return row?.found ?? false;
}

/** Whether a certificate authority is about to call. */
export async function hasChallenges(): Promise<boolean> {
  const [row] = await query<{ waiting: boolean }>(sql`SELECT ${challenges} AS waiting`);
  return row?.waiting ?? false;
}
