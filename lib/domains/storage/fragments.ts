import { raw, type Sql, sql } from '@/lib/core/db/sql';

// What others read of the tables of storage, in statements of their own. Parameters are SQL expressions.

/** The ids of all volumes of an instance. */
export const volumesOf = (instance: string): Sql =>
  raw(`ARRAY(SELECT a.volume_id::text FROM volume_attachments a WHERE a.instance_id = ${instance} ORDER BY 1)`);

/** The ids of those that its guest should have. */
export const volumesKeptBy = (instance: string): Sql =>
  raw(`ARRAY(SELECT a.volume_id::text FROM volume_attachments a JOIN volumes v ON v.id = a.volume_id
         WHERE a.instance_id = ${instance} AND v.status <> 'detaching' ORDER BY 1)`);

/** How many volumes of a project were made from an image. */
export const volumesOfImage = (projectId: string, image: string): Sql =>
  sql`(SELECT count(*)::int FROM volumes v WHERE v.project_id = ${projectId}::uuid AND v.image_id = ${raw(image)})`;
