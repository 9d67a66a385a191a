import { z } from 'zod';
import type { ProjectCall } from '@/lib/core/api/endpoint';
import { displayName } from '@/lib/core/api/schemas';
import { raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { renameUsage } from '@/lib/money/metering/rename';

/** The body of `PATCH …/{id}` for a resource that can be renamed; `id` is its name in the OpenAPI document. */
export const newName = (id: string) => z.strictObject({ name: displayName }).meta({ id, example: { name: 'web-2' } });

/**
 * Renames a resource of the project, in any state.
 * @returns the changed columns of its row
 * @throws ApiError 404
 */
export async function renameResource(
  call: ProjectCall,
  table: string,
  { type, id }: { type: string; id: string },
  name: string,
): Promise<{ name: string; updated_at: Date }> {
  await commit(call, {
    resource: { type, id, name },
    target: sql`SELECT true AS allowed, NULL::text AS state, r.name
      FROM k JOIN ${raw(table)} r ON r.project_id = k.project_id AND r.id = ${id}::uuid FOR NO KEY UPDATE OF r`,
    rows: {
      renamed: sql`UPDATE ${raw(table)} SET name = ${name}::text, updated_at = ${call.at}::timestamptz
        FROM ${ifAdmitted} AND ${raw(table)}.id = ${id}::uuid`,
      usage: renameUsage(id, name),
    },
    details: sql`(SELECT jsonb_build_object('former_name', target.name) FROM target)`,
  });
  return { name, updated_at: call.at };
}
