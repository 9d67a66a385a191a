import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engines } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { usageEventsInsert } from '@/lib/money/metering/usage-events';

/** What the counter of an instance's traffic to the outside said at a moment. */
export type EgressReading = { instance_id: string; at: Date; bytes: number };

/**
 * What left the platform since a counter was last read is an event of usage: a reading that is told again tells nothing
 * new, and a counter that went back began anew. Of an instance that is gone nothing is counted.
 */
export async function countEgress(readings: readonly EgressReading[]): Promise<void> {
  const told = sql`SELECT r.*, i.project_id, i.name
    FROM jsonb_to_recordset(${JSON.stringify(readings)}::jsonb) AS r (instance_id uuid, at timestamptz(3), bytes bigint)
    JOIN instances i ON i.id = r.instance_id FOR KEY SHARE OF i`;
  // First, so that the statement below has a row to lock: of two that read at once, the second sees what the first wrote.
  await execute(sql`INSERT INTO egress_counters (instance_id, project_id, bytes, at)
    SELECT told.instance_id, told.project_id, 0, 'epoch' FROM (${told}) AS told ON CONFLICT DO NOTHING`);
  await execute(sql`
    WITH told AS MATERIALIZED (${told}), before AS MATERIALIZED (
      SELECT c.* FROM egress_counters c JOIN told ON told.instance_id = c.instance_id FOR UPDATE OF c
    ), counted AS (
      UPDATE egress_counters AS c SET bytes = told.bytes, at = told.at FROM told JOIN before USING (instance_id)
      WHERE c.instance_id = told.instance_id AND told.at > before.at
      RETURNING c.instance_id, CASE WHEN told.bytes >= before.bytes THEN told.bytes - before.bytes ELSE told.bytes END AS grown
    )
    ${usageEventsInsert(sql`(
      SELECT 'egress:' || told.instance_id || ':' || extract(epoch FROM told.at) AS key, told.project_id, 'network_egress' AS metric,
        'instance' AS resource_type, told.instance_id AS resource_id, told.name AS resource_name, counted.grown AS quantity,
        told.at AS occurred_at
      FROM counted JOIN told USING (instance_id)) AS grown`)}`);
}

/** Counts what a machine that is off has sent since it was last sampled, while its ports are still there. */
export async function countLastEgress(instanceId: string): Promise<void> {
  const ports = await query<{ id: string; networkId: string }>(
    sql`SELECT id, network_id AS "networkId" FROM ports WHERE device_id = ${instanceId}::uuid`,
  );
  if (ports.length === 0) return;
  try {
    const bytes = await engines().network.egressBytes(ports);
    await countEgress([{ instance_id: instanceId, at: new Date(), bytes }]);
  } catch (error) {
    // It was never wired, or its host has started anew since: there is nothing to read.
    if (!(error instanceof EngineError && error.code === 'NOT_FOUND')) throw error;
  }
}
