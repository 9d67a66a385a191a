import { query } from '@/lib/core/db/pool';
import { join, raw, type Sql, sql } from '@/lib/core/db/sql';
import type { Domain } from '@/lib/core/domains/domain';
import { dimensions } from '@/lib/core/quota/dimensions';
import { reservationDifferences } from '@/lib/hosts/engine-reports/reservations';
import { deviceHoldersOf, quotaHoldersOf } from '@/lib/platform/checks';
import { workOf } from '@/lib/platform/work';

/** All differences between the resources of these domains and quota, devices and reservations, in words. */
export async function ledgerDisagreements(domains: readonly Domain[]): Promise<string[]> {
  const { room } = await workOf(domains);
  const found = await Promise.all([
    quota(quotaHoldersOf(domains)),
    devices(deviceHoldersOf(domains)),
    reservations(room),
  ]);
  return found.flat();
}

/** Lists the differences between expected and actual items. */
export function differences(what: string, wanted: Iterable<string>, found: Iterable<string>): string[] {
  const [should, is] = [[...wanted].toSorted(), [...found].toSorted()];
  const surplus = [...is];
  const missing = should.filter((item) => {
    const at = surplus.indexOf(item);
    if (at >= 0) surplus.splice(at, 1);
    return at < 0;
  });
  return [
    ...missing.map((item) => `${what}: ${item} is missing`),
    ...surplus.map((item) => `${what}: ${item} is left`),
  ];
}

const together = (holders: readonly Sql[]) => join(holders, ' UNION ALL ');

/** Compares the account, the ledger and the resources of each project. */
async function quota(holders: readonly Sql[]): Promise<string[]> {
  const used = dimensions.map((dimension) => raw(`('${dimension}', a.${dimension}_used)`));
  const rows = await query<{ line: string }>(sql`
    WITH present AS (${together(holders)}), held AS (
      SELECT coalesce(p.id, l.resource_id) AS id, coalesce(p.dimension, l.dimension) AS dimension, p.amount AS should, l.amount AS is
      FROM present p FULL JOIN quota_ledger l ON l.resource_id = p.id AND l.dimension = p.dimension
    ), used AS (
      SELECT a.project_id, u.dimension, u.used, coalesce((SELECT sum(l.amount) FROM quota_ledger l
        WHERE l.project_id = a.project_id AND l.dimension = u.dimension), 0) AS summed
      FROM project_accounts a CROSS JOIN LATERAL (VALUES ${join(used, ', ')}) AS u (dimension, used)
    )
    SELECT 'ledger: ' || id || ' should hold ' || coalesce(should::text, 'nothing') || ' and holds ' ||
      coalesce(held.is::text, 'nothing') || ' of ' || dimension AS line
    FROM held WHERE should IS NULL OR held.is IS NULL OR abs(should - held.is) > 1e-9
    UNION ALL
    SELECT 'account: ' || dimension || ' says ' || used || ', its ledger ' || summed FROM used WHERE abs(used - summed) > 1e-9`);
  return rows.map(({ line }) => line);
}

/** Compares devices with their resources. */
async function devices(holders: readonly Sql[]): Promise<string[]> {
  const [present, rows] = await Promise.all([
    query<{ name: string }>(sql`SELECT kind || ' ' || id AS name FROM (${together(holders)}) AS present`),
    query<{ name: string }>(sql`SELECT kind || ' ' || id AS name FROM devices`),
  ]);
  const names = (found: { name: string }[]) => found.map(({ name }) => name);
  return differences('device', names(present), names(rows));
}

/** Compares a cell's counters, its ledger, and the resources that hold reservations. */
async function reservations(holders: readonly Sql[]): Promise<string[]> {
  const [counted, held] = await Promise.all([
    query<{ line: string }>(sql`
      SELECT 'reservations: ' || (vcpus_reserved, memory_mb_reserved, disk_gb_reserved) || ' counted, ' ||
        (l.vcpus, l.memory_mb, l.disk_gb) || ' in the ledger' AS line
      FROM cells, LATERAL (SELECT coalesce(sum(amount) FILTER (WHERE kind = 'vcpus'), 0) AS vcpus,
        coalesce(sum(amount) FILTER (WHERE kind = 'memory_mb'), 0) AS memory_mb,
        coalesce(sum(amount) FILTER (WHERE kind = 'disk_gb'), 0) AS disk_gb FROM reservations WHERE cell_id = cells.id) AS l
      WHERE (vcpus_reserved, memory_mb_reserved, disk_gb_reserved) IS DISTINCT FROM (l.vcpus, l.memory_mb, l.disk_gb)`),
    reservationDifferences(holders),
  ]);
  return [
    ...counted.map(({ line }) => line),
    ...held.map(
      ({ device_id, kind, expected, reserved }) =>
        `reservation of ${device_id}: should be ${expected} of ${kind}, is ${reserved}`,
    ),
  ];
}
