import { query } from '@/lib/core/db/pool';
import { raw, sql } from '@/lib/core/db/sql';
import { reportIncident, resolveIncident } from '@/lib/core/incidents/incident';
import { log } from '@/lib/log';

type Stray = { id: string; deleted: boolean };

/**
 * What the engine of a cell has and no row of any cell knows. A row is there before its thing and goes after it: where
 * this database remembers the deletion, something was left behind and is removed. Everything else may be someone's,
 * after a restored backup: it is stopped, reported as an incident until it is gone, and its data kept.
 *
 * @param held everything of its kind that the engine has
 */
export async function handleStrays(
  kind: { cell: string; type: string; table: string },
  held: readonly string[],
  engine: { remove(id: string): Promise<void>; stop?(id: string): Promise<void> },
): Promise<void> {
  const { cell, type, table } = kind;
  const strays = await query<Stray>(sql`
    SELECT held.id, EXISTS (SELECT FROM operations o WHERE o.resource_id = held.id AND o.kind = ${`${type}.delete`}::text
      AND o.finished_at IS NOT NULL) AS deleted
    FROM unnest(${held}::uuid[]) AS held (id) WHERE NOT EXISTS (SELECT FROM ${raw(table)} row WHERE row.id = held.id)`);
  for (const { id, deleted } of strays) {
    log.warn({ type, id }, deleted ? 'removing what a deletion left behind' : 'the host has something without a row');
    try {
      await (deleted ? engine.remove(id) : engine.stop?.(id));
    } catch (error) {
      // The next look tries again.
      log.warn({ err: error, type, id }, 'a stray could be neither removed nor stopped');
    }
  }
  const kept = strays.filter(({ deleted }) => !deleted).map(({ id }) => id);
  await report(cell, type, kept);
}

async function report(cell: string, type: string, kept: readonly string[]): Promise<void> {
  const prefix = `stray ${cell} ${type} `;
  const reason = `Host ${cell} has data of type ${type} without a row in the database, perhaps since a backup was restored. It is kept.`;
  for (const id of kept) await reportIncident({ key: prefix + id, project_id: null, resource: { type, id }, reason });
  const gone = await query<{ key: string }>(sql`SELECT key FROM incidents
    WHERE closed_at IS NULL AND starts_with(key, ${prefix}::text) AND NOT resource_id = ANY (${kept}::uuid[])`);
  for (const { key } of gone) await resolveIncident(key);
}
