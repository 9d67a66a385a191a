import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { reportIncident, resolveIncident } from '@/lib/core/incidents/incident';
import { log } from '@/lib/log';

/**
 * Handles what the engine of a cell has and no row of any cell knows. A row is written before its resource exists and is
 * deleted after it: where this database remembers the deletion, something was left behind and is removed. Everything else
 * may belong to someone, after a restored backup: it is stopped and reported as an incident, and its data are kept.
 *
 * @param held everything of its type that the engine has
 */
export async function handleStrays(
  kind: { cell: string; type: string; table: string },
  held: readonly string[],
  engine: { remove(id: string): Promise<unknown>; stop?(id: string): Promise<unknown> },
): Promise<void> {
  const { cell, type, table } = kind;
  const strays = await query<{ id: string }>(sql`SELECT held.id FROM unnest(${held}::uuid[]) AS held (id)
    WHERE NOT EXISTS (SELECT FROM ${raw(table)} row WHERE row.id = held.id)`);
  const deleted = await deletedAmong(strays.map(({ id }) => id));
  for (const { id } of strays) {
    const isDeleted = deleted.has(id);
    log.warn({ type, id }, isDeleted ? 'removing what a deletion left behind' : 'the host has something without a row');
    try {
      await (isDeleted ? engine.remove(id) : engine.stop?.(id));
    } catch (error) {
      // The next run tries again.
      log.warn({ err: error, type, id }, 'a stray could be neither removed nor stopped');
    }
  }
  const kept = strays.map(({ id }) => id).filter((id) => !deleted.has(id));
  await report(cell, type, kept);
}

/** Those of these resources, all without a row, whose deletion (`<type>.delete`) has ended. */
export async function deletedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const deleted = await query<{ resource_id: string }>(sql`SELECT resource_id FROM operations
    WHERE resource_id = ANY (${ids}::uuid[]) AND kind = resource_type || '.delete' AND finished_at IS NOT NULL`);
  return new Set(deleted.map(({ resource_id }) => resource_id));
}

async function report(cell: string, type: string, kept: readonly string[]): Promise<void> {
  const prefix = `stray ${cell} ${type} `;
  const reason = `Host ${cell} has data of type ${type} without a row in the database, perhaps since a backup was restored. It is kept.`;
  for (const id of kept) await reportIncident({ key: prefix + id, project_id: null, resource: { type, id }, reason });
  const gone = await query<{ key: string }>(sql`SELECT key FROM incidents
    WHERE closed_at IS NULL AND starts_with(key, ${prefix}::text) AND NOT resource_id = ANY (${kept}::uuid[])`);
  for (const { key } of gone) await resolveIncident(key);
}
