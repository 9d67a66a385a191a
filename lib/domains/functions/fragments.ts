import { type Sql, sql } from '@/lib/core/db/sql';

// What others read of the table of functions, in statements of their own.

/** Those functions of a project. */
export const functionsAmong = (projectId: string, ids: readonly string[]): Sql =>
  sql`(SELECT id FROM functions WHERE project_id = ${projectId}::uuid AND id = ANY (${ids}::uuid[])) AS f`;

/** Those functions with their projects, of any project. */
export const projectsOfFunctions = (ids: readonly string[]): Sql =>
  sql`SELECT id, project_id FROM functions WHERE id = ANY (${ids}::uuid[])`;

/** Whether a function of a cell has an address. */
export const hasFunctionUrlIn = (cell: string): Sql =>
  sql`EXISTS (SELECT FROM functions WHERE cell_id = ${cell}::text AND url_auth IS NOT NULL)`;
