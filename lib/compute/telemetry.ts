import { execute, query } from '@/lib/db/pool';
import { sql } from '@/lib/db/sql';
import { engines } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { settings } from '@/lib/settings';
import type { InstanceStats } from './engine';

/** How many machines are asked at once. */
const AT_ONCE = 8;

/** Writes down what the counters of this host's running machines say now. */
export async function sampleInstances(): Promise<void> {
  const running = await query<{ id: string }>(sql`
    SELECT id FROM instances WHERE host_id = ${settings().hostId}::text AND status IN ('active', 'paused', 'rebooting')`);
  const samples: object[] = [];
  const waiting = running.map(({ id }) => id);
  const ask = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const stats = await sample(id);
      if (stats) samples.push(sampleRow(id, stats));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  if (samples.length > 0) await keep(samples);
}

async function sample(id: string): Promise<InstanceStats | null> {
  try {
    return await engines().compute.sampleInstance(id);
  } catch (error) {
    log.debug({ err: error, instance: id }, 'a machine could not be sampled');
    return null;
  }
}

function sampleRow(
  instance_id: string,
  { sampledAt, cpuSeconds, memoryBytes, disk, network, egressBytes }: InstanceStats,
) {
  return {
    instance_id,
    at: sampledAt,
    cpu_seconds: cpuSeconds,
    memory_bytes: Math.round(memoryBytes),
    disk_read_bytes: disk.readBytes,
    disk_write_bytes: disk.writtenBytes,
    disk_reads: disk.readOperations,
    disk_writes: disk.writeOperations,
    network_rx_bytes: network.receivedBytes,
    network_tx_bytes: network.sentBytes,
    egress_bytes: egressBytes,
  };
}

/**
 * Of an instance that is deleted meanwhile nothing is kept. What left the platform since the counter was last read is
 * an event of usage: a sample that is told again tells nothing new, and a counter that went back began anew.
 */
async function keep(samples: readonly object[]): Promise<void> {
  await execute(sql`
    WITH told AS MATERIALIZED (
      SELECT s.*, i.project_id AS of_project, i.name FROM jsonb_populate_recordset(NULL::instance_samples, ${JSON.stringify(samples)}::jsonb) AS s
      JOIN instances i ON i.id = s.instance_id FOR KEY SHARE OF i
    ), before AS MATERIALIZED (
      SELECT c.* FROM egress_counters c JOIN told ON told.instance_id = c.instance_id FOR UPDATE OF c
    ), counted AS (
      INSERT INTO egress_counters AS c (instance_id, project_id, bytes, at)
      SELECT told.instance_id, told.of_project, told.egress_bytes, told.at FROM told LEFT JOIN before USING (instance_id)
      WHERE before.at IS NULL OR told.at > before.at
      ON CONFLICT (instance_id) DO UPDATE SET bytes = excluded.bytes, at = excluded.at WHERE excluded.at > c.at
      RETURNING c.instance_id, c.bytes, c.at
    ), used AS (
      INSERT INTO usage_events (key, project_id, metric, resource_type, resource_id, resource_name, quantity, occurred_at, recorded_at)
      SELECT 'egress:' || told.instance_id || ':' || extract(epoch FROM told.at), told.of_project, 'network_egress', 'instance',
        told.instance_id, told.name, grown.bytes, least(told.at, platform_now()), platform_now()
      FROM counted JOIN told USING (instance_id) LEFT JOIN before ON before.instance_id = told.instance_id
      CROSS JOIN LATERAL (
        SELECT CASE WHEN counted.bytes >= before.bytes THEN counted.bytes - before.bytes ELSE counted.bytes END AS bytes
      ) AS grown
      WHERE grown.bytes > 0 ON CONFLICT (key) DO NOTHING
    )
    INSERT INTO instance_samples (instance_id, at, project_id, cpu_seconds, memory_bytes, disk_read_bytes, disk_write_bytes,
      disk_reads, disk_writes, network_rx_bytes, network_tx_bytes, egress_bytes)
    SELECT instance_id, at, of_project, cpu_seconds, memory_bytes, disk_read_bytes, disk_write_bytes, disk_reads, disk_writes,
      network_rx_bytes, network_tx_bytes, egress_bytes
    FROM told ON CONFLICT DO NOTHING`);
}
