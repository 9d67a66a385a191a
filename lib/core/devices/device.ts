import type { Prisma } from '@/lib/core/db/generated/client';
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
