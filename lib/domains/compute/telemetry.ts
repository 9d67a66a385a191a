import { execute, query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engines } from '@/lib/engines/engines';
import { log } from '@/lib/log';
import { ownCell } from '@/lib/settings';
import { countEgress } from './egress';
import type { InstanceStats } from './engine';

/** How many machines are asked at once. */
const AT_ONCE = 8;

/** Writes down what the counters of this host's running machines say now. */
export async function sampleInstances(): Promise<void> {
  const running = await query<{ id: string }>(sql`
    SELECT id FROM instances WHERE cell_id = ${ownCell()}::text AND status IN ('active', 'paused', 'rebooting')`);
  const samples: ReturnType<typeof sampleRow>[] = [];
  const waiting = running.map(({ id }) => id);
  const ask = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const stats = await sample(id);
      if (stats) samples.push(sampleRow(id, stats));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  if (samples.length === 0) return;
  await countEgress(samples.map(({ instance_id, at, egress_bytes }) => ({ instance_id, at, bytes: egress_bytes })));
  await keep(samples);
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

/** Of an instance that is deleted meanwhile nothing is kept. */
async function keep(samples: readonly object[]): Promise<void> {
  await execute(sql`
    INSERT INTO instance_samples (instance_id, at, project_id, cpu_seconds, memory_bytes, disk_read_bytes, disk_write_bytes,
      disk_reads, disk_writes, network_rx_bytes, network_tx_bytes, egress_bytes)
    SELECT instance_id, at, of_project, cpu_seconds, memory_bytes, disk_read_bytes, disk_write_bytes, disk_reads, disk_writes,
      network_rx_bytes, network_tx_bytes, egress_bytes
    FROM (
      SELECT s.*, i.project_id AS of_project FROM jsonb_populate_recordset(NULL::instance_samples, ${JSON.stringify(samples)}::jsonb) AS s
      JOIN instances i ON i.id = s.instance_id FOR KEY SHARE OF i
    ) AS told ON CONFLICT DO NOTHING`);
}
