import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import type { AttributedLine } from '@/lib/core/domains/logs';
import { parseLine } from './line';

/** Whose request each line of the gateway's log is, also the last ones of a deleted route, and the line as its project reads it. */
export async function requestsOfRoutes(messages: readonly string[]): Promise<(AttributedLine | undefined)[]> {
  const requests = messages.map(parseLine);
  const ids = [...new Set(requests.flatMap((request) => request?.route_id ?? []))];
  if (ids.length === 0) return messages.map(() => undefined);
  const routes = await query<{ id: string; project_id: string; name: string }>(
    sql`SELECT id, project_id, name FROM gateway_routes WHERE id = ANY (${ids}::uuid[])
      UNION ALL SELECT id, project_id, name FROM gateway_former_routes WHERE id = ANY (${ids}::uuid[])`,
  );
  const found = new Map(routes.map((route) => [route.id, route]));
  return requests.map((request) => {
    const route = request && found.get(request.route_id);
    if (!route) return undefined;
    const { route_id: _, status, ...shown } = request;
    return {
      project_id: route.project_id,
      resource_id: route.id,
      resource_name: route.name,
      level: status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
      text: JSON.stringify({ status, ...shown }),
    };
  });
}
