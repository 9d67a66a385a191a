import type { Prisma } from '@/lib/core/db/generated/client';
import { execute } from '@/lib/core/db/pool';
import { insert, type Sql, sql } from '@/lib/core/db/sql';
import { ifAdmitted } from '@/lib/core/quota/commit';

/**
 * Inserts the device of a new resource in the same write as the resource. Ports, reservations, counters and samples
 * refer to the device.
 * @param kind the resource's type
 */
export const deviceInsert = (projectId: string, id: string, kind: string): Sql =>
  insert<Prisma.DeviceUncheckedCreateInput>('devices', { project_id: projectId, id, kind }, ifAdmitted);

/** As `deviceInsert`, for the project that the verdict is about; nothing where the device is there. */
export const deviceOfVerdict = (id: string, kind: string): Sql => sql`
  INSERT INTO devices (project_id, id, kind) SELECT verdict.project_id, ${id}::uuid, ${kind}::text FROM ${ifAdmitted}
  ON CONFLICT DO NOTHING`;

/** Deletes a device in the same write as its resource. Its samples go with it; its ports must be deleted before. */
export const deviceDelete = (id: string): Sql => sql`
  DELETE FROM devices USING verdict WHERE verdict.ok AND devices.project_id = verdict.project_id AND devices.id = ${id}::uuid`;

/** Records which node of the cell each device is on; null if the engine does not report one. */
export async function noteNodes(seen: readonly { id: string; node: string | null }[]): Promise<void> {
  if (seen.length === 0) return;
  await execute(sql`
    UPDATE devices SET node = seen.node FROM unnest(${seen.map(({ id }) => id)}::uuid[], ${seen.map(({ node }) => node)}::text[])
      AS seen (id, node) WHERE devices.id = seen.id AND devices.node IS DISTINCT FROM seen.node`);
}
