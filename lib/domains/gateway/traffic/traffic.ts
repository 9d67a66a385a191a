import { execute, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { usageEventsInsert } from '@/lib/money/metering/usage-events';
import { sumsOf } from './sums';

const LINES_A_PAGE = 5000;
const MOST_PAGES = 10;

/**
 * Counts and bills the requests of the gateway's log: traffic by route and backend, and the bytes that left, also of routes
 * that were deleted since. The place in the log moves in the same statement, so that no line counts twice, and what a crash
 * interrupts counts later.
 */
export async function countTraffic(cell: string): Promise<void> {
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    if ((await countPage(cell)) < LINES_A_PAGE) break;
  }
}

async function countPage(cell: string): Promise<number> {
  const ingress = await queryOne<{ service_id: string; log_cursor: string | null }>(
    sql`SELECT service_id, log_cursor FROM gateway_ingresses WHERE cell_id = ${cell}::text`,
  );
  if (!ingress) return 0;
  const page = await engineOf(cell).services.readLog(ingress.service_id, ingress.log_cursor, LINES_A_PAGE);
  if (page.cursor === ingress.log_cursor || page.cursor === '') return 0;
  const { groups, sizes } = sumsOf(page.lines);
  await execute(sql`
    WITH moved AS (
      UPDATE gateway_ingresses SET log_cursor = ${page.cursor}::text
      WHERE cell_id = ${cell}::text AND log_cursor IS NOT DISTINCT FROM ${ingress.log_cursor}::text RETURNING cell_id
    ), told AS (
      SELECT t.* FROM moved, jsonb_to_recordset(${JSON.stringify(groups)}::jsonb)
        AS t (route_id uuid, backend text, bucket int, requests int, errors int)
    ), sizes AS (
      SELECT s.* FROM moved, jsonb_to_recordset(${JSON.stringify(sizes)}::jsonb)
        AS s (route_id uuid, backend text, sent bigint, received bigint, unserved int)
    ), routes AS MATERIALIZED (
      -- Locked: a route that is deleted meanwhile is none any more, and its traffic has no row to refer to.
      SELECT r.id, r.rollout_step_at FROM gateway_routes r WHERE r.id IN (SELECT sizes.route_id FROM sizes)
      ORDER BY r.id FOR NO KEY UPDATE
    ), traffic AS (
      INSERT INTO gateway_traffic (route_id, backend, at, bucket, requests, errors)
      SELECT told.route_id, told.backend, greatest(date_bin('10 seconds', platform_now(), 'epoch'), r.rollout_step_at),
        told.bucket, told.requests, told.errors
      FROM told JOIN routes r ON r.id = told.route_id
      ON CONFLICT (route_id, at, backend, bucket) DO UPDATE SET requests = gateway_traffic.requests + excluded.requests,
        errors = gateway_traffic.errors + excluded.errors
    ), unserved AS (
      UPDATE gateway_routes r SET unserved_responses = r.unserved_responses + grown.unserved
      FROM (SELECT route_id, sum(unserved) AS unserved FROM sizes WHERE unserved > 0 GROUP BY route_id) AS grown
      -- The count locks all routes before the first is changed: a row that this statement has changed cannot be locked any more.
      WHERE r.id = grown.route_id AND (SELECT count(*) FROM routes) > 0
    ), owners AS (
      -- Not the locked ones: this statement sees each route in one of the two, also when it is deleted meanwhile.
      SELECT id, project_id, name, backends FROM gateway_routes UNION ALL
      SELECT id, project_id, name, backends FROM gateway_former_routes
    )
    ${usageEventsInsert(sql`(
      -- What goes to a backend on the internet leaves the platform, too. No two pages bill one line: each key is of its own.
      SELECT concat_ws(':', 'egress', o.id, 'gateway', gen_random_uuid()) AS key, o.project_id, 'network_egress' AS metric,
        'gateway_route' AS resource_type, o.id AS resource_id, o.name AS resource_name,
        sum(sizes.sent + CASE WHEN b.url IS NULL THEN 0 ELSE sizes.received END) AS quantity, platform_now() AS occurred_at
      FROM sizes JOIN owners o ON o.id = sizes.route_id
        LEFT JOIN LATERAL jsonb_to_recordset(o.backends) AS b (name text, url text) ON b.name = sizes.backend
      GROUP BY o.id, o.project_id, o.name) AS grown`)}`);
  return page.lines.length;
}
