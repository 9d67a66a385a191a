import { now } from '@/lib/clock';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { countEgress } from '@/lib/money/metering/egress';
import { sumsOf } from './sums';

const LINES_A_PAGE = 5000;
const MOST_PAGES = 10;

/**
 * Counts the requests of the gateway's log: traffic by route and backend, and the bytes to bill. The place in the log moves
 * in the same statement, so that no line counts twice, and what a crash interrupts counts later.
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
  const counted = await query<{ id: string; project_id: string; name: string; sent_bytes: string }>(sql`
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
      SELECT r.id, r.rollout_step_at, r.backends FROM gateway_routes r WHERE r.id IN (SELECT sizes.route_id FROM sizes)
      ORDER BY r.id FOR NO KEY UPDATE
    ), traffic AS (
      INSERT INTO gateway_traffic (route_id, backend, at, bucket, requests, errors)
      SELECT told.route_id, told.backend, greatest(date_bin('10 seconds', platform_now(), 'epoch'), r.rollout_step_at),
        told.bucket, told.requests, told.errors
      FROM told JOIN routes r ON r.id = told.route_id
      ON CONFLICT (route_id, at, backend, bucket) DO UPDATE SET requests = gateway_traffic.requests + excluded.requests,
        errors = gateway_traffic.errors + excluded.errors
    )
    UPDATE gateway_routes r SET sent_bytes = r.sent_bytes + grown.bytes,
      unserved_responses = r.unserved_responses + grown.unserved
    FROM (
      -- What goes to a backend on the internet leaves the platform, too.
      SELECT sizes.route_id, sum(sizes.sent + CASE WHEN b.url IS NULL THEN 0 ELSE sizes.received END) AS bytes,
        sum(sizes.unserved) AS unserved
      FROM sizes JOIN routes r ON r.id = sizes.route_id
        LEFT JOIN LATERAL jsonb_to_recordset(r.backends) AS b (name text, url text) ON b.name = sizes.backend
      GROUP BY sizes.route_id
    ) AS grown
    -- The count locks all routes before the first is changed: a row that this statement has changed cannot be locked any more.
    WHERE r.id = grown.route_id AND (SELECT count(*) FROM routes) > 0
    RETURNING r.id, r.project_id, r.name, r.sent_bytes::text AS sent_bytes`);
  await bill(counted);
  return page.lines.length;
}

/** A total that an earlier crash left unbilled is billed with the next request. */
async function bill(
  routes: readonly { id: string; project_id: string; name: string; sent_bytes: string }[],
): Promise<void> {
  if (routes.length === 0) return;
  await countEgress(
    routes.map(({ id, project_id, name, sent_bytes }) => ({
      project_id,
      device_id: id,
      resource: { type: 'gateway_route', name },
      counter: { name: 'gateway', run: id },
      at: now(),
      bytes: Number(sent_bytes),
    })),
  );
}
