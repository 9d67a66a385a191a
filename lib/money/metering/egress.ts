import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { purge } from '@/lib/core/operations/purge';
import { usageEventsInsert } from './usage-events';

/** What a counter of traffic to the outside said at a moment, and whom it bills. */
export type EgressReading = {
  project_id: string;
  device_id: string;
  /** How bills name the device. */
  resource: { type: string; name: string };
  /**
   * A port's counter, or one with a name, such as `gateway`. Of a named one, `run` tells its lives apart: what counts from
   * zero after a restart says so by another run, and two runs that overlap count on their own.
   */
  counter: { port_id: string } | { name: string; run: string };
  at: Date;
  /** Since the port exists, or since the run began. */
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
 * What left the platform since a counter was last read is an event of usage: a reading that is told again tells nothing
 * new. A port's counter that went back began anew; within a run of a named counter, less is an older word. Of a device or a
 * port that is gone nothing is counted.
 */
export async function countEgress(readings: readonly EgressReading[]): Promise<void> {
  const told = sql`SELECT r.* FROM jsonb_to_recordset(${JSON.stringify(readings.map(rowOf))}::jsonb) AS r (project_id uuid, device_id uuid,
      resource_type text, resource_name text, name text, run text, port_id uuid, at timestamptz(3), bytes bigint)
    JOIN devices d ON d.project_id = r.project_id AND d.id = r.device_id
    WHERE r.port_id IS NULL OR EXISTS (SELECT FROM ports p WHERE p.device_id = r.device_id AND p.id = r.port_id) FOR KEY SHARE OF d`;
  // First, so that the statement below has a row to lock: of two that read at once, the second sees what the first wrote.
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

/** Runs of named counters that have ended long ago. Counters of ports go with their ports. */
export const egressPurge = purge(
  'egress_counters',
  60 * 60_000,
  "port_id IS NULL AND at < (SELECT platform_now()) - interval '90 days'",
);
