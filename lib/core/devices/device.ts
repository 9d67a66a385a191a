import type { Prisma } from '@/lib/core/db/generated/client';
import { execute } from '@/lib/core/db/pool';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/commit';

/**
 * The device of a new resource, as a statement of the write that makes the resource: it may have ports, reservations,
 * counters and samples.
 * @param kind the resource's type
 */
export const deviceInsert = (projectId: string, id: string, kind: string): Sql =>
  insert<Prisma.DeviceUncheckedCreateInput>('devices', { project_id: projectId, id, kind }, ifAdmitted);

/** Removes a device with the write that removes its resource. Its samples go with it; its ports must have gone before. */
export const deviceDelete = (id: string): Sql => sql`
  DELETE FROM devices USING verdict WHERE verdict.ok AND devices.project_id = verdict.project_id AND devices.id = ${id}::uuid`;

/** Records the machines inside a cell that devices are on; null where the engine tells none. */
export async function noteNodes(seen: readonly { id: string; node: string | null }[]): Promise<void> {
  if (seen.length === 0) return;
  await execute(sql`
    UPDATE devices SET node = seen.node FROM unnest(${seen.map(({ id }) => id)}::uuid[], ${seen.map(({ node }) => node)}::text[])
      AS seen (id, node) WHERE devices.id = seen.id AND devices.node IS DISTINCT FROM seen.node`);
}
