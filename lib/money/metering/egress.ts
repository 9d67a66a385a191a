import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { purge } from '@/lib/core/operations/purge';
import { isPortOf } from '@/lib/domains/network/fragments';
import { usageEventsInsert } from './usage-events';

/** A reading of an egress counter, and the device to bill. */
export type EgressReading = {
  project_id: string;
  device_id: string;
  /** The device's name on bills. */
  resource: { type: string; name: string };
  /**
   * A port's counter, or a named one, such as `gateway`. For a named one, `run` identifies its life: after a restart it
   * counts from zero under a new run, and overlapping runs are counted separately.
   */
  counter: { port_id: string } | { name: string; run: string };
  at: Date;
  /** Since the port was created, or since the run started. */
  bytes: number;
};

const PORT = 'port';

function rowOf({ counter, resource, ...reading }: EgressReading) {
  const key =
    'port_id' in counter
      ? { name: PORT, run: counter.port_id, port_id: counter.port_id }
      : { ...counter, port_id: null };
  return { ...reading, resource_type: resource.type, resource_name: resource.name, ...key };
}

/**
 * Records the bytes since the last reading of a counter as usage; repeated readings add nothing. A port's counter that
 * decreased has restarted; within a run of a named counter, a lower value is outdated. Deleted devices and ports are
 * ignored.
 */
export async function countEgress(readings: readonly EgressReading[]): Promise<void> {
  const told = sql`SELECT r.* FROM jsonb_to_recordset(${JSON.stringify(readings.map(rowOf))}::jsonb) AS r (project_id uuid, device_id uuid,
      resource_type text, resource_name text, name text, run text, port_id uuid, at timestamptz(3), bytes bigint)
    JOIN devices d ON d.project_id = r.project_id AND d.id = r.device_id
    WHERE r.port_id IS NULL OR ${isPortOf('r.port_id', 'r.device_id')} FOR KEY SHARE OF d`;
  // Inserted first, so that the statement below has a row to lock: of two concurrent readings, the second sees the
  // first's.
  await execute(sql`INSERT INTO egress_counters (project_id, device_id, name, run, port_id, bytes, at)
    SELECT told.project_id, told.device_id, told.name, told.run, told.port_id, 0, 'epoch' FROM (${told}) AS told
    ON CONFLICT DO NOTHING`);
  await execute(sql`
    WITH told AS MATERIALIZED (${told}), before AS MATERIALIZED (
      SELECT c.* FROM egress_counters c JOIN told USING (device_id, name, run) FOR UPDATE OF c
    ), counted AS (
      UPDATE egress_counters AS c SET bytes = told.bytes, at = told.at FROM told JOIN before USING (device_id, name, run)
      WHERE (c.device_id, c.name, c.run) = (told.device_id, told.name, told.run) AND told.at > before.at
        AND (told.bytes >= before.bytes OR told.port_id IS NOT NULL)
      RETURNING c.device_id, c.name, c.run,
        CASE WHEN told.bytes >= before.bytes THEN told.bytes - before.bytes ELSE told.bytes END AS grown
    )
    ${usageEventsInsert(sql`(
      SELECT concat_ws(':', 'egress', device_id, name, run, extract(epoch FROM told.at)) AS key, told.project_id, 'network_egress' AS metric,
        told.resource_type, device_id AS resource_id, told.resource_name, counted.grown AS quantity, told.at AS occurred_at
      FROM counted JOIN told USING (device_id, name, run)) AS grown`)}`);
}

/** Purges old runs of named counters. Port counters are deleted with their ports. */
export const egressPurge = purge(
  'egress_counters',
  60 * 60_000,
  "port_id IS NULL AND at < (SELECT platform_now()) - interval '90 days'",
);
