import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engineOf } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { countEgress } from '@/lib/money/metering/egress';

type BilledDevice = { id: string; project_id: string; resource: { type: string; name: string } };
type Row = { id: string; networkId: string };

/**
 * Counts what the ports of a device in this cell have sent to the outside until now. Its last call comes after the device
 * has stopped sending and before its ports are released.
 */
export async function countPortEgress(
  cell: string,
  { id: device_id, project_id, resource }: BilledDevice,
): Promise<void> {
  const ports = await query<Row>(
    sql`SELECT id, network_id AS "networkId" FROM ports WHERE device_id = ${device_id}::uuid`,
  );
  for (const port of ports) {
    const bytes = await bytesOf(cell, port);
    if (bytes === null) continue;
    await countEgress([{ project_id, device_id, resource, counter: { port_id: port.id }, at: new Date(), bytes }]);
  }
}

/** null: the engine has no such port, because it was never wired or the host has restarted since. */
async function bytesOf(cell: string, port: Row): Promise<number | null> {
  try {
    return await engineOf(cell).network.egressBytes([port]);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
