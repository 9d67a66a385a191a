import { now } from '@/lib/clock';
import { query, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { bucketOf } from '@/lib/core/devices/durations';
import { engineOf } from '@/lib/engines/engines';
import { countEgress } from '@/lib/money/metering/egress';
import { parseLine, type Request } from './line';

const LINES_A_PAGE = 5000;
const MOST_PAGES = 10;
/** Switching protocols: how long such a connection lasts says nothing about the backend. */
const SWITCHING = 101;

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
  const requests = page.lines.flatMap(({ message }) => parseLine(message) ?? []);
  const counted = await query<{ id: string; project_id: string; name: string; sent_bytes: string }>(sql`
    WITH moved AS (
      UPDATE gateway_ingresses SET log_cursor = ${page.cursor}::text
      WHERE cell_id = ${cell}::text AND log_cursor IS NOT DISTINCT FROM ${ingress.log_cursor}::text RETURNING cell_id
    ), told AS (
      SELECT t.* FROM moved, jsonb_to_recordset(${JSON.stringify(grouped(requests))}::jsonb)
        AS t (route_id uuid, backend text, bucket int, requests int, errors int)
    ), traffic AS (
      INSERT INTO gateway_traffic (route_id, backend, at, bucket, requests, errors)
      SELECT told.route_id, told.backend, greatest(date_bin('10 seconds', platform_now(), 'epoch'), r.rollout_step_at),
        told.bucket, told.requests, told.errors
      FROM told JOIN gateway_routes r ON r.id = told.route_id
      ON CONFLICT (route_id, at, backend, bucket) DO UPDATE SET requests = gateway_traffic.requests + excluded.requests,
        errors = gateway_traffic.errors + excluded.errors
    ), sizes AS (
      SELECT s.* FROM moved, jsonb_to_recordset(${JSON.stringify(sizes(requests))}::jsonb) AS s (route_id uuid, backend text, sent bigint, received bigint)
    )
    UPDATE gateway_routes r SET sent_bytes = r.sent_bytes + grown.bytes
    FROM (
      -- What goes to a backend on the internet leaves the platform, too.
      SELECT sizes.route_id, sum(sizes.sent + CASE WHEN b.url IS NULL THEN 0 ELSE sizes.received END) AS bytes
      FROM sizes JOIN gateway_routes r ON r.id = sizes.route_id
        LEFT JOIN LATERAL jsonb_to_recordset(r.backends) AS b (name text, url text) ON b.name = sizes.backend
      GROUP BY sizes.route_id
    ) AS grown WHERE r.id = grown.route_id RETURNING r.id, r.project_id, r.name, r.sent_bytes::text AS sent_bytes`);
  await bill(counted);
  return page.lines.length;
}

type Sum = { route_id: string; backend: string; bucket: number; requests: number; errors: number };

/** Requests by route, backend and duration. What no backend was asked for is none of its. */
function grouped(requests: readonly Request[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { route_id, backend, status, ms } of requests) {
    if (backend === null || status < 100) continue;
    const bucket = status === SWITCHING ? 0 : bucketOf(ms);
    const key = `${route_id} ${backend} ${bucket}`;
    const sum = sums.get(key) ?? { route_id, backend, bucket, requests: 0, errors: 0 };
    sums.set(key, sum);
    sum.requests += 1;
    sum.errors += status >= 500 ? 1 : 0;
  }
  return [...sums.values()];
}

function sizes(requests: readonly Request[]) {
  const sums = new Map<string, { route_id: string; backend: string; sent: number; received: number }>();
  for (const { route_id, backend, sent, received } of requests) {
    const key = `${route_id} ${backend}`;
    const sum = sums.get(key) ?? { route_id, backend: backend ?? '', sent: 0, received: 0 };
    sums.set(key, sum);
    sum.sent += sent;
    sum.received += received;
  }
  return [...sums.values()];
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
