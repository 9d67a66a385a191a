import { execute } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { purge } from '@/lib/core/operations/purge';

/** The counters of a device at one moment, counted since the device started. */
export type DeviceSample = {
  project_id: string;
  device_id: string;
  at: Date;
  cpu_seconds: number;
  memory_bytes: number;
  disk_read_bytes: number;
  disk_write_bytes: number;
  disk_reads: number;
  disk_writes: number;
  network_rx_bytes: number;
  network_tx_bytes: number;
  egress_bytes: number;
};

/** Stores samples, each once. Samples of a device that was deleted meanwhile are dropped. */
export async function keepSamples(samples: readonly DeviceSample[]): Promise<void> {
  await execute(sql`
    INSERT INTO device_samples (device_id, at, project_id, cpu_seconds, memory_bytes, disk_read_bytes, disk_write_bytes,
      disk_reads, disk_writes, network_rx_bytes, network_tx_bytes, egress_bytes)
    SELECT device_id, at, project_id, cpu_seconds, memory_bytes, disk_read_bytes, disk_write_bytes, disk_reads, disk_writes,
      network_rx_bytes, network_tx_bytes, egress_bytes
    FROM (
      SELECT s.* FROM jsonb_populate_recordset(NULL::device_samples, ${JSON.stringify(samples)}::jsonb) AS s
      JOIN devices d ON d.project_id = s.project_id AND d.id = s.device_id FOR KEY SHARE OF d
    ) AS told ON CONFLICT DO NOTHING`);
}

export const samplePurge = purge('device_samples', 10 * 60_000, "at < (SELECT platform_now()) - interval '8 days'");
