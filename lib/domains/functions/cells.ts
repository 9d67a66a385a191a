import { notFound } from '@/lib/core/api/errors';
import { databaseCache, queryOne } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';

/** Functions whose cell a process remembers; it never changes. */
const MOST_KNOWN = 10_000;
const cells = databaseCache(() => new Map<string, string>());

const keyOf = (projectId: string, id: string) => `${projectId} ${id}`;

/**
 * The cell of a function. Its pool checks that the function still exists.
 * @param isKnown whether a remembered answer will do
 * @throws ApiError 404
 */
export async function cellOf(projectId: string, id: string, isKnown = true): Promise<string> {
  const known = isKnown ? cells().get(keyOf(projectId, id)) : undefined;
  if (known !== undefined) return known;
  const found = await queryOne<{ cell_id: string }>(
    sql`SELECT cell_id FROM functions WHERE project_id = ${projectId}::uuid AND id = ${id}::uuid`,
  );
  if (!found) throw notFound('The function');
  if (cells().size >= MOST_KNOWN) cells().clear();
  cells().set(keyOf(projectId, id), found.cell_id);
  return found.cell_id;
}

/** After a refusal: the function may be gone. */
export const forgetCell = (projectId: string, id: string): boolean => cells().delete(keyOf(projectId, id));
