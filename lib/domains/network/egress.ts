import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { engines } from '@/lib/engines/engines';
import { EngineError } from '@/lib/engines/error';
import { countEgress } from '@/lib/money/metering/egress';

type BilledDevice = { id: string; project_id: string; resource: { type: string; name: string } };
type Row = { id: string; networkId: string };

/**
 * Counts what the ports of a device have sent to the outside until now. The last time while the device sends no more and
 * before its ports are released.
 */
export async function countPortEgress({ id: device_id, project_id, resource }: BilledDevice): Promise<void> {
  const ports = await query<Row>(
    sql`SELECT id, network_id AS "networkId" FROM ports WHERE device_id = ${device_id}::uuid`,
  );
  for (const port of ports) {
    const bytes = await bytesOf(port);
    if (bytes === null) continue;
    await countEgress([{ project_id, device_id, resource, counter: { port_id: port.id }, at: new Date(), bytes }]);
  }
}

/** null: the port was never wired, or its host has started anew since, so that there is nothing to read. */
async function bytesOf(port: Row): Promise<number | null> {
  try {
    return await engines().network.egressBytes([port]);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
