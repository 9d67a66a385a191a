import { raw, type Sql, sql } from '@/lib/core/db/sql';

// What others read of the tables of compute, in statements of their own. Parameters are SQL expressions.

/** The instance `i` that a device is; nulls for other devices. */
export const leftJoinInstance = (device: string): Sql => raw(`LEFT JOIN instances i ON i.id = ${device}`);

/** The instance `i` with this id. */
export const joinInstance = (id: string): Sql => raw(`JOIN instances i ON i.id = ${id}`);

/** The instance `i` of the project of a guarded write, for its target. */
export const joinOwnInstance = (id: string): Sql =>
  sql`JOIN instances i ON i.project_id = k.project_id AND i.id = ${id}::uuid`;

/** Some instances `i` of a project. */
export const instancesAmong = (projectId: string, ids: readonly string[]): Sql =>
  sql`(SELECT id, project_id, name FROM instances WHERE project_id = ${projectId}::uuid AND id = ANY (${ids}::uuid[])) AS i`;

/** How many instances of a project an image has; of other projects' use nobody learns. */
export const instancesOfImage = (projectId: string, image: string): Sql =>
  sql`(SELECT count(*)::int FROM instances i WHERE i.project_id = ${projectId}::uuid AND i.image_id = ${raw(image)})`;

/** Whether an instance `i` uses its ports; true where there is none. Services have theirs only while they run. */
export const usesItsPorts = "coalesce(i.status IN ('active', 'paused', 'rebooting'), true)";

/** The same of a device, whatever it is. */
export const deviceUsesItsPorts = (device: string): string =>
  `NOT EXISTS (SELECT FROM instances i WHERE i.id = ${device} AND NOT ${usesItsPorts})`;

/** Whether an instance `i` runs, and nothing changes it. */
export const runsUndisturbed: Sql = raw(`i.status IN ('active', 'paused') AND i.task IS NULL
      AND NOT EXISTS (SELECT FROM operations o WHERE o.resource_id = i.id AND o.status IN ('pending', 'running'))`);

/** A flavor that can be chosen: `id`, `vcpus`, `ram_gb`; no row for any other. */
export const activeFlavor = (id: string): Sql =>
  sql`SELECT id, vcpus, ram_gb FROM flavors WHERE id = ${id}::uuid AND status = 'active'`;
